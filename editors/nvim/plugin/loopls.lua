if vim.g.loaded_loopls then
  return
end
vim.g.loaded_loopls = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify_once('loopls needs Neovim 0.11 or later', vim.log.levels.WARN)
  return
end

for name, link in pairs({
  LooplsTitle = 'Title',
  LooplsPrompt = 'Comment',
  LooplsThinking = 'Comment',
  LooplsCall = 'Function',
  LooplsError = 'DiagnosticError',
  LooplsNote = 'DiagnosticHint',
  LooplsAnswered = 'DiagnosticOk',
  LooplsStopped = 'DiagnosticWarn',
}) do
  vim.api.nvim_set_hl(0, name, { link = link, default = true })
end

vim.treesitter.language.register('toml', 'loop-toml')

--- The names that begin like what was typed. A name with spaces is whole words of the command line.
local function completing(names)
  return function(lead, line)
    local typed = line:match('^%s*%S+%s+(.*)$') or lead
    local before = #typed - #lead
    return vim
      .iter(require('loopls')[names]())
      :filter(function(name)
        return vim.startswith(name, typed)
      end)
      :map(function(name)
        return name:sub(before + 1)
      end)
      :totable()
  end
end

vim.api.nvim_create_user_command('LoopRun', function(command)
  require('loopls').run({ mode = command.args ~= '' and command.args or nil })
end, { nargs = '?', complete = completing('modes'), desc = 'Run the loop of this buffer' })

vim.api.nvim_create_user_command('LoopTest', function(command)
  require('loopls').test(command.args ~= '' and command.args or nil)
end, { nargs = '?', complete = completing('tests'), desc = 'Run a test of this buffer, or all' })

vim.api.nvim_create_user_command('LoopStop', function(command)
  require('loopls').stop({ all = command.bang })
end, { bang = true, desc = 'Stop the run of this buffer; with a bang, all runs' })

vim.api.nvim_create_user_command('LoopResolve', function()
  require('loopls').resolve()
end, { desc = 'Show what each mode comes to' })

local group = vim.api.nvim_create_augroup('loopls', {})

-- What Neovim does only when it is told to: expand the snippets that `<C-x><C-o>` takes, and show inlay hints.
vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if not client or client.name ~= 'loopls' then
      return
    end
    local config = require('loopls.config').get()
    if client:supports_method('textDocument/completion') then
      vim.lsp.completion.enable(true, client.id, event.buf, { autotrigger = config.autocomplete })
    end
    if config.inlay_hints and client:supports_method('textDocument/inlayHint') then
      vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
    end
  end,
})

-- Lenses follow the text: they are asked for after the server was told of a change, so never of the one before.
vim.api.nvim_create_autocmd('LspNotify', {
  group = group,
  callback = function(event)
    local method = event.data.method
    if method == 'textDocument/didOpen' or method == 'textDocument/didChange' then
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == 'loopls' then
        require('loopls.lens').refresh(client.id, event.buf)
      end
    end
  end,
})

if require('loopls.config').get().enable then
  vim.lsp.enable('loopls')
end
