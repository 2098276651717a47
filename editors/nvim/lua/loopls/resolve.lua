--- What the modes of a definition come to.
local text = require('loopls.text')

local M = {}

--- The limits in the order in which the format lists them.
local LIMITS = { 'iterations', 'calls', 'parallel', 'result_bytes', 'tokens', 'time' }

--- `6  (base, line 12)`.
local function limit_text(name, limit)
  local value = limit.value
  if value == nil or value == vim.NIL then
    value = 'none'
  elseif name == 'time' then
    value = ('%g s'):format(value / 1000)
  elseif value == 0 and (name == 'tokens' or name == 'result_bytes') then
    value = 'none'
  end
  local where = limit.line and ('%s, line %d'):format(limit.origin, limit.line + 1) or limit.origin
  return ('%s  (%s)'):format(value, where)
end

--- The rows of one mode: pairs of a label and a value.
local function rows_of(mode)
  local rows = { { 'mode', mode.name == '' and '(base)' or mode.name } }
  for _, name in ipairs(LIMITS) do
    if mode.limits[name] then
      table.insert(rows, { name, limit_text(name, mode.limits[name]) })
    end
  end
  table.insert(rows, { 'model', mode.model and ('%s/%s'):format(mode.model.provider, mode.model.name) or '' })
  table.insert(rows, { 'effort', type(mode.effort) == 'string' and mode.effort or 'the model decides' })
  local tools = vim.tbl_map(function(tool)
    return type(tool) == 'string' and tool or '(a server’s, known once it is asked)'
  end, type(mode.tools) == 'table' and mode.tools or {})
  table.insert(rows, { 'tools', table.concat(tools, ', ') })
  return rows
end

--- One paragraph a mode.
---@param definition table what `loopls.resolve` answers
---@return string[]
function M.lines(definition)
  local lines = { ('loop          %s'):format(text.one_line(definition.name or '')) }
  if definition.initial_mode and definition.initial_mode ~= vim.NIL and definition.initial_mode ~= '' then
    table.insert(lines, ('starts in     %s'):format(text.one_line(definition.initial_mode)))
  end
  for _, mode in ipairs(definition.modes) do
    table.insert(lines, '')
    for _, row in ipairs(rows_of(mode)) do
      table.insert(lines, ('%-12s  %s'):format(row[1], text.one_line(row[2], 500)))
    end
  end
  return lines
end

--- Shows what the modes of a buffer, as it is shown, come to in a floating window.
---@param client vim.lsp.Client
---@param bufnr integer
function M.show(client, bufnr)
  local params = { command = 'loopls.resolve', arguments = { { uri = vim.uri_from_bufnr(bufnr) } } }
  client:request('workspace/executeCommand', params, function(err, definition)
    if err then
      vim.notify('loopls: ' .. text.one_line(err.message), vim.log.levels.ERROR)
    elseif vim.api.nvim_get_current_buf() == bufnr then
      local options = { border = 'rounded', focus_id = 'loopls.resolve' }
      vim.lsp.util.open_floating_preview(M.lines(definition), '', options)
    end
  end, bufnr)
end

return M
