-- Every example, opened and run in every mode, as a newcomer would.
local H = _G.H
H.load_plugin()

-- Nobody is here to be asked about what writes: the answer is no, and the loop goes on.
vim.ui.select = function(_, _, choose)
  choose(nil)
end

-- What the server has said of each document, so that no diagnostics is an answer and not a silence.
local said = {}
local publish = vim.lsp.handlers['textDocument/publishDiagnostics']
vim.lsp.handlers['textDocument/publishDiagnostics'] = function(err, params, context)
  said[params.uri] = params.diagnostics
  publish(err, params, context)
end

for name in vim.fs.dir(H.examples) do
  if name:match('%.loop%.toml$') then
    H.test(name .. ' has nothing to remark on, and answers in each of its modes', function()
      H.open(H.examples, name)
      local uri = vim.uri_from_bufnr(0)
      H.eq(
        {},
        H.wait('what the server says', function()
          return said[uri]
        end)
      )
      local modes = require('loopls').modes()
      for index, mode in ipairs(#modes > 0 and modes or { false }) do
        require('loopls').run({ mode = mode or nil })
        H.wait_run(index, '✓ answered')
      end
    end)
  end
end
