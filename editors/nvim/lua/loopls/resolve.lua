--- What the modes of a definition come to.
local server = require('loopls.server')
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
---@param definition table as of `loopls resolve --format json`
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

--- Shows what the modes of a buffer come to in a floating window. The text goes to `loopls resolve` as it is shown,
--- saved or not.
---@param bufnr integer
function M.show(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  local folder = vim.fs.dirname(name)
  local path, reason = server.find(vim.fs.root(bufnr, server.root_markers) or folder)
  if not path then
    vim.notify('loopls: ' .. reason, vim.log.levels.WARN)
    return
  end
  local shown = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
  local command = { path, 'resolve', '--format', 'json', '-' }
  local result = vim.system(command, { stdin = shown, cwd = folder, text = true, timeout = 5000 }):wait()
  if result.code ~= 0 then
    vim.notify('loopls: ' .. text.one_line(result.stderr), vim.log.levels.ERROR)
    return
  end
  local lines = M.lines(vim.json.decode(result.stdout))
  vim.lsp.util.open_floating_preview(lines, '', { border = 'rounded', focus_id = 'loopls.resolve' })
end

return M
