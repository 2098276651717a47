-- The fold over the events of a run, on the recorded runs that the other folds are tested on.
local H = _G.H
H.load_plugin()
local view = require('loopls.view')

local recorded = vim.fs.normalize(vim.fs.joinpath(H.plugin, '../../tests/data/runs'))

--- The JSON of each line of a file.
local function lines(name)
  return vim.tbl_map(function(line)
    return vim.json.decode(line, { luanil = { object = true } })
  end, vim.fn.readfile(vim.fs.joinpath(recorded, name)))
end

--- What every fold knows of a run.
local function state_of(run)
  local ended = run.ended or {}
  return {
    status = run.status,
    mode = run.mode,
    step = run.step,
    iterations = run.iterations,
    calls = run.calls,
    tokens = run.tokens,
    open = vim.tbl_map(function(call)
      return ('%d %s%s'):format(call.call, call.tool, call.asked and '?' or '')
    end, run.open),
    stop = ended.stop,
    reason = ended.reason,
    limit = ended.limit,
    answer = ended.answer,
    counters = run.ended and view.counters(run),
  }
end

H.test('recorded runs stand, after each event, as their states say', function()
  local count = 0
  for name in vim.fs.dir(recorded) do
    if name:match('%.states%.jsonl$') then
      count = count + 1
      local run, expected, states = view.new(), {}, lines(name)
      for number, event in ipairs(lines((name:gsub('%.states', '')))) do
        view.apply(run, event)
        local changed = states[number]
        H.eq(event.type, changed.after)
        expected = vim.tbl_extend('force', expected, changed, { after = vim.NIL })
        expected.after = nil
        H.eq(expected, state_of(run), ('%s:%d'):format(name, number))
      end
    end
  end
  assert(count >= 10, 'the recorded runs are not there')
end)
