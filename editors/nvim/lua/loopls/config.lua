--- What a person set in `vim.g.loopls`, over the defaults. Read anew each time, so that it can change.
---
--- What starts things (`server`, `args`, `trust`) comes from here alone: never from a folder that is open.
local M = {}

---@class loopls.Config
---@field enable boolean Attach to definitions without being asked.
---@field server? string Absolute path of the server; without it `loopls` is looked for on `PATH`.
---@field args string[] Further arguments of the server.
---@field trust? 'trusted'|'restricted' Whether runs may start; nil: the server asks for each folder.
---@field autocomplete boolean Complete while typing, without being asked.
---@field codelens boolean Show lenses and keep them fresh.
---@field inlay_hints boolean Show behind the header of a mode what its limits come to.
---@field window_height integer Lines of a new run window.
---@field result_lines integer Lines of one tool result that a run window shows.

---@type loopls.Config
local defaults = {
  enable = true,
  args = {},
  autocomplete = false,
  codelens = true,
  inlay_hints = true,
  window_height = 15,
  result_lines = 40,
}

---@return loopls.Config
function M.get()
  return vim.tbl_extend('force', defaults, vim.g.loopls or {})
end

return M
