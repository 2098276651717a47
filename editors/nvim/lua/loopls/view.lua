--- The fold over the events of one run: what counts stand at, and how it ended.
local M = {}

---@class loopls.View
---@field loop string
---@field mode string Empty for the base.
---@field model string
---@field limits table<string, integer>
---@field step integer
---@field iterations integer
---@field calls integer
---@field tokens integer
---@field begun boolean Whether `run_started` came.
---@field ended? table The `run_ended` event.

---@return loopls.View
function M.new()
  return {
    begun = false,
    loop = '',
    mode = '',
    model = '',
    limits = {},
    step = 0,
    iterations = 0,
    calls = 0,
    tokens = 0,
  }
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
    view.step, view.called = event.step, false
  end,
  tool_started = function(view)
    -- A batch is one iteration, however many calls it has.
    view.iterations = view.iterations + (view.called and 0 or 1)
    view.called = true
    view.calls = view.calls + 1
  end,
  step_completed = function(view, event)
    view.tokens = view.tokens + event.usage.input + event.usage.output
  end,
  run_ended = function(view, event)
    view.iterations, view.calls = event.iterations, event.calls
    view.tokens = event.usage.input + event.usage.output
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

--- `1500` as `1.5 s`.
---@param ms number
function M.duration(ms)
  return ms < 1000 and ('%d ms'):format(ms) or ('%.1f s'):format(ms / 1000)
end

local function of(count, max, unit)
  return max and ('%d/%d %s'):format(count, max, unit) or ('%d %s'):format(count, unit)
end

--- `3/8 iterations · 5/20 calls · 1200 tokens`, and how long it took once it is over.
---@param view loopls.View
---@return string
function M.counters(view)
  local parts = {
    of(view.iterations, view.limits.iterations, 'iterations'),
    of(view.calls, view.limits.calls, 'calls'),
  }
  if view.tokens > 0 then
    table.insert(parts, ('%d tokens'):format(view.tokens))
  end
  if view.ended and view.ended.ms then
    table.insert(parts, M.duration(view.ended.ms))
  end
  return table.concat(parts, ' · ')
end

--- How the run stands, in a few words: only an answer reads like success.
---@param view loopls.View
---@return string
function M.status(view)
  local ended = view.ended
  if not ended then
    return view.step > 0 and ('running, step %d'):format(view.step) or 'starting'
  end
  if ended.stop == 'answer' then
    return 'answered'
  elseif ended.stop == 'limit' and ended.limit then
    local limit = ended.limit
    local where = limit.line and (', set in line %d'):format(limit.line + 1) or ', the default'
    return ('stopped at a limit: %s %d of %d%s'):format(limit.name, limit.reached, limit.max, where)
  elseif ended.stop == 'max_tokens' then
    return 'cut off: the reply reached max_tokens'
  elseif ended.stop == 'refusal' then
    return 'refused by the model'
  elseif ended.stop == 'cancelled' then
    return 'cancelled'
  end
  return 'failed' .. (ended.reason and ': ' .. ended.reason or '')
end

return M
