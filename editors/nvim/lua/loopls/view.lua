--- The fold over the events of one run: what it is doing, what counts stand at, and how it ended. The server and the
--- other editors keep the same one; all are tested on the recorded runs of tests/data/runs.
local M = {}

---@class loopls.OpenCall A call that is not over.
---@field call integer
---@field tool string
---@field asked boolean Whether a person is being asked about it.

---@class loopls.Verdict What came of a test.
---@field test string
---@field passed boolean
---@field misses { range: lsp.Range, message: string }[]

---@class loopls.View
---@field status 'starting'|'replying'|'calling'|'asking'|'ended'
---@field loop string
---@field mode string Empty for the base.
---@field model string
---@field limits table<string, integer>
---@field step integer
---@field iterations integer
---@field calls integer
---@field tokens integer
---@field open loopls.OpenCall[] In call order.
---@field begun boolean Whether `run_started` came.
---@field called boolean Whether the current step has had a call.
---@field verdict? loopls.Verdict For a test that got to what it expects.
---@field ended? table The `run_ended` event.

---@return loopls.View
function M.new()
  return {
    status = 'starting',
    begun = false,
    called = false,
    loop = '',
    mode = '',
    model = '',
    limits = {},
    step = 0,
    iterations = 0,
    calls = 0,
    tokens = 0,
    open = {},
  }
end

--- The status that the open calls make.
---@param view loopls.View
local function settle(view)
  local asks = vim.iter(view.open):any(function(call)
    return call.asked
  end)
  view.status = asks and 'asking' or 'calling'
end

---@param view loopls.View
---@param event table
---@param asked boolean
local function set_asked(view, event, asked)
  for _, call in ipairs(view.open) do
    if call.call == event.call then
      call.asked = asked
    end
  end
  settle(view)
end

---@type table<string, fun(view: loopls.View, event: table)>
local apply = {
  run_started = function(view, event)
    view.begun = true
    view.loop, view.mode = event.loop, event.mode
    view.model = event.model.provider .. '/' .. event.model.name
    view.limits = event.limits
  end,
  step_started = function(view, event)
    view.status = 'replying'
    view.step, view.called = event.step, false
  end,
  tool_started = function(view, event)
    -- A batch is one iteration, however many calls it has.
    view.iterations = view.iterations + (view.called and 0 or 1)
    view.called = true
    view.calls = view.calls + 1
    table.insert(view.open, { call = event.call, tool = event.tool, asked = false })
    settle(view)
  end,
  access_asked = function(view, event)
    set_asked(view, event, true)
  end,
  access_decided = function(view, event)
    set_asked(view, event, false)
  end,
  tool_completed = function(view, event)
    view.open = vim.tbl_filter(function(call)
      return call.call ~= event.call
    end, view.open)
    settle(view)
  end,
  step_completed = function(view, event)
    view.tokens = view.tokens + event.usage.input + event.usage.output
  end,
  run_ended = function(view, event)
    view.status = 'ended'
    view.iterations, view.calls = event.iterations, event.calls
    view.tokens = event.usage.input + event.usage.output
    view.open = {}
    view.ended = event
  end,
}

--- Takes in one event; those that count for nothing change nothing.
---@param view loopls.View
---@param event table
function M.apply(view, event)
  local change = apply[event.type]
  if change then
    change(view, event)
  end
end

--- `2.4 s`, `1 min 05 s`; cut, not rounded.
---@param ms integer
local function short_time(ms)
  local seconds = math.floor(ms / 1000)
  if seconds < 60 then
    return ('%d.%d s'):format(seconds, math.floor(ms % 1000 / 100))
  end
  return ('%d min %02d s'):format(math.floor(seconds / 60), seconds % 60)
end

--- `20 ms`, or `1.5 s` from a second on.
---@param ms integer
---@return string
function M.duration(ms)
  return ms < 1000 and ('%d ms'):format(ms) or short_time(ms)
end

--- `950`, `1.2k`, `12k`, `1.2M`; cut, not rounded.
---@param count integer
local function short_count(count)
  if count < 1000 then
    return ('%d'):format(count)
  end
  local unit, suffix = 1000, 'k'
  if count >= 1000000 then
    unit, suffix = 1000000, 'M'
  end
  local whole, tenth = math.floor(count / unit), math.floor(count % unit / (unit / 10))
  return whole < 10 and tenth > 0 and ('%d.%d%s'):format(whole, tenth, suffix)
    or ('%d%s'):format(whole, suffix)
end

local function of(count, max, unit)
  return max and ('%d/%d %s'):format(count, max, unit) or ('%d %s'):format(count, unit)
end

--- `3/8 iterations · 5/20 calls · 1.2k tokens`, and how long it took once it is over; without tokens where nobody counted
--- any, which not every model does.
---@param view loopls.View
---@return string
function M.counters(view)
  local parts = {
    of(view.iterations, view.limits.iterations, 'iterations'),
    of(view.calls, view.limits.calls, 'calls'),
  }
  if view.tokens > 0 then
    table.insert(parts, short_count(view.tokens) .. ' tokens')
  end
  if view.ended and view.ended.ms then
    table.insert(parts, short_time(view.ended.ms))
  end
  return table.concat(parts, ' · ')
end

--- Whether a run that is over came out well: a test by what it expects, anything else by having an answer.
---@param view loopls.View
---@return boolean
function M.is_success(view)
  local stop = view.ended and view.ended.stop
  if view.verdict then
    return view.verdict.passed and stop ~= 'cancelled'
  end
  return stop == 'answer'
end

--- How the run stands, in a few words: only what came out well reads like success.
---@param view loopls.View
---@return string
function M.status(view)
  local ended = view.ended
  if view.status == 'asking' then
    return 'asks you'
  elseif not ended then
    return view.step > 0 and ('running, step %d'):format(view.step) or 'starting'
  elseif ended.stop == 'cancelled' then
    return 'cancelled'
  elseif view.verdict then
    local miss = view.verdict.misses[1]
    return view.verdict.passed and 'passed' or 'did not pass' .. (miss and ': ' .. miss.message or '')
  elseif ended.stop == 'answer' then
    return 'answered'
  elseif ended.stop == 'limit' and ended.limit then
    local limit = ended.limit
    local where = limit.line and (', set in line %d'):format(limit.line + 1) or ', the default'
    return ('stopped at a limit: %s %d of %d%s'):format(limit.name, limit.reached, limit.max, where)
  elseif ended.stop == 'max_tokens' then
    return 'cut off: the reply reached max_tokens'
  elseif ended.stop == 'refusal' then
    return 'refused by the model'
  end
  return 'failed' .. (ended.reason and ': ' .. ended.reason or '')
end

return M
