--- `Check bind`: makes the tools of a definition and says what came of it.
local text = require('loopls.text')

local M = {}

--- What the lens and the code action call.
---@param command lsp.Command
---@param context { bufnr: integer, client_id: integer }
function M.on_command(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not client then
    return
  end
  local params = { command = command.command, arguments = command.arguments }
  client:request('workspace/executeCommand', params, function(err)
    if err then
      vim.notify('loopls: ' .. text.one_line(err.message), vim.log.levels.ERROR)
    end
  end, context.bufnr)
end

return M
