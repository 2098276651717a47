--- Keeps the lenses fresh: Neovim shows them, but asks for them only when told to.
local M = {}

--- Asks for the lenses of a buffer anew. Not through `vim.lsp.codelens.refresh`, which drops what is asked while an
--- answer is on its way: a lens would then run what stood there before.
---@param client_id integer
---@param buf integer
function M.refresh(client_id, buf)
  local client = vim.lsp.get_client_by_id(client_id)
  if not client or not vim.lsp.buf_is_attached(buf, client_id) or not vim.lsp.codelens.on_codelens then
    return
  end
  if require('loopls.config').get().codelens and client:supports_method('textDocument/codeLens') then
    local params = { textDocument = { uri = vim.uri_from_bufnr(buf) } }
    client:request('textDocument/codeLens', params, vim.lsp.codelens.on_codelens, buf)
  end
end

return M
