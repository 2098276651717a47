--- What can be started from the current buffer. The server's lenses say it, so also of a text with errors.
local M = {}

--- The names of its modes or of its tests, in the order of the text.
---@param client vim.lsp.Client
---@param kind 'mode'|'test'
---@return string[]
function M.names(client, kind)
  local params = { textDocument = { uri = vim.uri_from_bufnr(0) } }
  local response = client:request_sync('textDocument/codeLens', params, 1000, 0)
  local names = {}
  for _, lens in ipairs(response and response.result or {}) do
    local name = lens.command.command == 'loopls.run' and lens.command.arguments[1][kind]
    -- A lens that shows the last run runs again, so there may be two of a name.
    if name and not vim.list_contains(names, name) then
      table.insert(names, name)
    end
  end
  return names
end

return M
