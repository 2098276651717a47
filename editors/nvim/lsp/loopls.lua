-- The configuration of the server for `vim.lsp.enable('loopls')`; `vim.lsp.config('loopls', …)` goes over it.
local run = require('loopls.run')
local server = require('loopls.server')

---@type vim.lsp.Config
return {
  cmd = server.start,
  filetypes = { 'loop-toml' },
  root_dir = server.root_dir,
  capabilities = { experimental = { loopls = { runEvents = true } } },
  before_init = server.before_init,
  handlers = {
    ['loopls/runEvent'] = run.on_event,
    ['loopls/testEnded'] = run.on_test_ended,
  },
  commands = { ['loopls.run'] = run.on_run_command },
  on_exit = run.on_server_exit,
}
