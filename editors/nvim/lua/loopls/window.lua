--- The buffer of one run and the windows that show it. Text goes in as it is and is never interpreted: the buffer
--- has no modeline, no syntax, and its winbar shows a variable.
local config = require('loopls.config')
local text = require('loopls.text')
local view = require('loopls.view')

local api = vim.api
local namespace = api.nvim_create_namespace('loopls.run')

--- Bytes of one line of a result that are shown; a longer line makes an editor slow.
local LINE_BYTES = 2000

---@class loopls.Block A stretch of lines. Only the last ones change, so places are counted from the end.
---@field lines integer
---@field group? string Its highlight group.
---@field mark? integer

---@class loopls.Window
---@field buf integer
---@field blocks loopls.Block[]
---@field prose? loopls.Block The open block of the reply's text.
---@field calls table<integer, { block: loopls.Block, head: string, output: string }>
local Window = {}
Window.__index = Window

local count = 0

--- The places where the run is drawn: a buffer of its own, shown in no window yet.
---@return loopls.Window
function Window.new()
  count = count + 1
  local buf = api.nvim_create_buf(false, true)
  local options = vim.bo[buf]
  options.modeline = false
  options.undolevels = -1
  options.bufhidden = 'hide'
  options.modifiable = false
  options.filetype = 'loopls-run'
  api.nvim_buf_set_name(buf, ('loopls://run/%d'):format(count))
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'Close the run window' })
  vim.keymap.set('n', '<C-c>', '<Cmd>LoopStop<CR>', { buffer = buf, desc = 'Stop this run' })
  return setmetatable({ buf = buf, blocks = {}, calls = {} }, Window)
end

--- Whether the buffer is still there; a person may wipe it.
function Window:is_valid()
  return api.nvim_buf_is_valid(self.buf)
end

--- Shows the buffer without taking the focus: in `reuse` if that is a window, else beside or below what there is.
---@param reuse? integer the window of a run that is over
---@param beside? integer a window of a run that goes on
function Window:show(reuse, beside)
  if #vim.fn.win_findbuf(self.buf) > 0 then
    return
  end
  local win = reuse
  if win then
    api.nvim_win_set_buf(win, self.buf)
  else
    local place = beside and { split = 'right', win = beside }
      or { split = 'below', win = -1, height = config.get().window_height }
    win = api.nvim_open_win(self.buf, false, place)
  end
  local options = vim.wo[win][0]
  options.wrap = true
  options.linebreak = true
  options.number = false
  options.relativenumber = false
  options.signcolumn = 'no'
  options.list = false
  options.spell = false
  options.winfixheight = true
  -- What `%{}` comes to is text, whatever stands in it.
  options.winbar = "%{get(b:, 'loopls_status', '')}"
end

--- Does `change`, and keeps the windows at the end that were there before.
---@param change fun()
function Window:edit(change)
  local last = api.nvim_buf_line_count(self.buf)
  local following = vim.tbl_filter(function(win)
    return api.nvim_win_get_cursor(win)[1] == last
  end, vim.fn.win_findbuf(self.buf))
  vim.bo[self.buf].modifiable = true
  change()
  vim.bo[self.buf].modifiable = false
  last = api.nvim_buf_line_count(self.buf)
  for _, win in ipairs(following) do
    api.nvim_win_set_cursor(win, { last, 0 })
  end
end

--- The first row of `block`, zero-based.
function Window:row_of(block)
  local row = api.nvim_buf_line_count(self.buf)
  for index = #self.blocks, 1, -1 do
    row = row - self.blocks[index].lines
    if self.blocks[index] == block then
      return row
    end
  end
  error('a block of another window')
end

function Window:highlight(block)
  if block.group then
    local row = self:row_of(block)
    block.mark = api.nvim_buf_set_extmark(self.buf, namespace, row, 0, {
      id = block.mark,
      end_row = row + block.lines,
      hl_group = block.group,
      strict = false,
    })
  end
end

--- Adds a block at the end.
---@param lines string[]
---@param group? string
---@return loopls.Block
function Window:append(lines, group)
  local block = { lines = #lines, group = group }
  self:edit(function()
    local is_empty = #self.blocks == 0
    api.nvim_buf_set_lines(self.buf, is_empty and 0 or -1, -1, false, lines)
  end)
  table.insert(self.blocks, block)
  self:highlight(block)
  self.prose = nil
  return block
end

--- Puts other lines in the place of a block's.
---@param block loopls.Block
---@param lines string[]
function Window:replace(block, lines)
  local row = self:row_of(block)
  self:edit(function()
    api.nvim_buf_set_lines(self.buf, row, row + block.lines, false, lines)
  end)
  block.lines = #lines
  self:highlight(block)
end

--- Goes on with the reply's text, or with what the model thinks.
---@param chunk string
---@param group? string
function Window:write(chunk, group)
  if not self.prose or self.prose.group ~= group then
    self.prose = self:append({ '', '' }, group)
  end
  local lines = vim.split(chunk, '\n', { plain = true })
  self:edit(function()
    api.nvim_buf_set_text(self.buf, -1, -1, -1, -1, lines)
  end)
  self.prose.lines = self.prose.lines + #lines - 1
  self:highlight(self.prose)
end

--- The lines of a call: its head, and what it put out.
---@param head string
---@param output string
---@param from_end boolean Whether the last lines are shown rather than the first.
---@return string[]
local function call_lines(head, output, from_end)
  local all = output == '' and {} or vim.split((output:gsub('\n$', '')), '\n', { plain = true })
  local max = config.get().result_lines
  local hidden = math.max(#all - max, 0)
  local note = ('  │ … %d more lines'):format(hidden)
  local lines = { head }
  if hidden > 0 and from_end then
    table.insert(lines, note)
  end
  local first = from_end and hidden + 1 or 1
  for index = first, first + math.min(#all, max) - 1 do
    table.insert(lines, '  │ ' .. text.cut(all[index], LINE_BYTES))
  end
  if hidden > 0 and not from_end then
    table.insert(lines, note)
  end
  return lines
end

--- How the end of a run is marked.
local function ending(run_view)
  if view.is_success(run_view) then
    return '✓ ', 'LooplsAnswered'
  end
  return '■ ', 'LooplsStopped'
end

---@type table<string, fun(self: loopls.Window, event: table, run_view: loopls.View)>
local draw = {
  run_started = function(self, event, run_view)
    local parts = { run_view.loop, run_view.mode, event.test or '', run_view.model }
    local title = table.concat(
      vim.tbl_filter(function(part)
        return part ~= ''
      end, parts),
      ' · '
    )
    self:append({ text.one_line(title) }, 'LooplsTitle')
    local prompt = vim.split(event.prompt, '\n', { plain = true })
    self:append(
      vim.tbl_map(function(line)
        return '> ' .. line
      end, prompt),
      'LooplsPrompt'
    )
  end,

  text_delta = function(self, event)
    self:write(event.text)
  end,

  thinking_delta = function(self, event)
    self:write(event.text, 'LooplsThinking')
  end,

  tool_started = function(self, event)
    local input = event.input == nil and ''
      or type(event.input) == 'string' and event.input
      or text.json(event.input)
    local head = ('%d %s %s'):format(event.call, event.tool, text.one_line(input, LINE_BYTES))
    local block = self:append({ '… ' .. head }, 'LooplsCall')
    self.calls[event.call] = { block = block, head = head, output = '' }
  end,

  access_decided = function(self, event)
    local call = self.calls[event.call]
    if call and event.decision == 'deny' then
      call.head = ('%s · denied by %s'):format(call.head, event.by)
    end
  end,

  tool_output = function(self, event)
    local call = self.calls[event.call]
    if call then
      -- What is no longer shown need not be kept: an output may be long.
      call.output = call.output .. event.text
      local keep = LINE_BYTES * config.get().result_lines
      if #call.output > 2 * keep then
        call.output = call.output:sub(-keep)
      end
      self:replace(call.block, call_lines('… ' .. call.head, call.output, true))
    end
  end,

  tool_completed = function(self, event)
    local call = self.calls[event.call]
    if call then
      local mark = event.is_error and '✗ ' or '✓ '
      local head = ('%s%s · %s'):format(mark, call.head, view.duration(event.ms))
      if event.is_error then
        call.block.group = 'LooplsError'
      end
      self:replace(call.block, call_lines(head, event.result, false))
      self.calls[event.call] = nil
    end
  end,

  retry = function(self, event)
    local reason = text.one_line(event.reason)
    self:append({ ('↻ again in %s: %s'):format(view.duration(event.after_ms), reason) }, 'LooplsNote')
  end,

  dropped = function(self, event)
    self:append({ ('… %d chunks left out'):format(event.chunks) }, 'LooplsNote')
  end,

  run_ended = function(self, event, run_view)
    local mark, group = ending(run_view)
    local status = text.one_line(view.status(run_view), LINE_BYTES)
    self:append({ '', ('%s%s · %s'):format(mark, status, view.counters(run_view)) }, group)
  end,
}

--- Draws one event. The view has taken it in already.
---@param event table
---@param run_view loopls.View
function Window:draw(event, run_view)
  local how = draw[event.type]
  if how then
    how(self, event, run_view)
  end
  local name = run_view.mode == '' and run_view.loop or ('%s [%s]'):format(run_view.loop, run_view.mode)
  local status = ('%s · %s · %s'):format(name, view.status(run_view), view.counters(run_view))
  vim.b[self.buf].loopls_status = text.one_line(status)
end

return Window
