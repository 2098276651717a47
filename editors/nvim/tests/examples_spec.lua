-- Every example, opened and run in every mode, as a newcomer would.
local H = _G.H
H.load_plugin()

-- Nobody is here to be asked about what writes: the answer is no, and the loop goes on.
vim.ui.select = function(_, _, choose)
  choose(nil)
end

for name in vim.fs.dir(H.examples) do
  if name:match('%.loop%.toml$') then
    H.test(name .. ' has nothing to remark on, and answers in each of its modes', function()
      H.open(H.examples, name)
      H.lens(nil)
      H.eq(
        {},
        vim.tbl_map(function(diagnostic)
          return diagnostic.message
        end, vim.diagnostic.get(0))
      )
      local modes = require('loopls').modes()
      for index, mode in ipairs(#modes > 0 and modes or { '' }) do
        require('loopls').run({ mode = mode ~= '' and mode or nil })
        H.wait_run(index, '✓ answered')
      end
    end)
  end
end
