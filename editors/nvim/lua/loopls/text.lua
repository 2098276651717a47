--- Text that others wrote, made fit to be shown.
local M = {}

--- `text` on one line of at most `max` bytes, control characters as spaces.
---@param text string
---@param max? integer
---@return string
function M.one_line(text, max)
  text = vim.trim((text:gsub('%c+', ' ')))
  return M.cut(text, max or 200)
end

--- `text` cut to at most `max` bytes at a character's border; says how many there were.
---@param text string
---@param max integer
---@return string
function M.cut(text, max)
  if #text <= max then
    return text
  end
  local last = max + 1
  return ('%s… [%d bytes]'):format(text:sub(1, last - 1 + vim.str_utf_start(text, last)), #text)
end

--- `text` for a statusline, in which `%` begins an item.
---@param text string
---@return string
function M.statusline(text)
  return (M.one_line(text):gsub('%%', '%%%%'))
end

--- `value` as JSON on one line, keys sorted so that it reads the same each time.
---@param value any
---@return string
function M.json(value)
  if type(value) ~= 'table' then
    return vim.json.encode(value)
  end
  local parts = {}
  if vim.islist(value) and (next(value) ~= nil or getmetatable(value) == nil) then
    for _, item in ipairs(value) do
      table.insert(parts, M.json(item))
    end
    return '[' .. table.concat(parts, ', ') .. ']'
  end
  for _, key in ipairs(vim.tbl_keys(value)) do
    table.insert(parts, vim.json.encode(key) .. ': ' .. M.json(value[key]))
  end
  table.sort(parts)
  return #parts == 0 and '{}' or '{ ' .. table.concat(parts, ', ') .. ' }'
end

return M
