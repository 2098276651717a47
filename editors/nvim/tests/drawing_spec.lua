-- What a run window makes of events, without a server.
local H = _G.H
H.load_plugin()
local run = require('loopls.run')

local uri = vim.uri_from_fname('/somewhere/x.loop.toml')
local count = 0

--- A run of its own: a function that sends it an event and returns its buffer's text.
local function new_run()
  count = count + 1
  local id, seq = ('run-%d'):format(count), 0
  local buffers = #H.run_buffers()
  return function(event)
    run.on_event(nil, { run = id, seq = seq, event = event }, { client_id = 0 })
    seq = seq + 1
    local buf = H.run_buffers()[buffers + 1]
    return H.text(buf), buf
  end
end

local function started(fields)
  return vim.tbl_extend('force', {
    type = 'run_started',
    version = 1,
    uri = uri,
    loop = 'desk',
    mode = '',
    model = { provider = 'scripted', name = 'm' },
    limits = { iterations = 6, calls = 12, parallel = 4, result_bytes = 0, tokens = 0 },
    tools = {},
    prompt = 'Why?',
  }, fields or {})
end

local function ended(fields)
  return vim.tbl_extend('force', {
    type = 'run_ended',
    stop = 'answer',
    iterations = 1,
    calls = 2,
    usage = { input = 30, output = 12 },
    ms = 1234,
  }, fields or {})
end

H.test('a whole run', function()
  local send = new_run()
  send(started())
  send({ type = 'step_started', step = 1 })
  send({ type = 'thinking_delta', text = 'Hm.' })
  send({ type = 'text_delta', text = 'I look ' })
  send({ type = 'text_delta', text = 'twice.\nAt once.' })
  send({ type = 'tool_started', call = 1, tool = 'find', input = { id = 7, at = { 1, 'x' } } })
  send({ type = 'tool_started', call = 2, tool = 'track', input = 'not JSON' })
  send({ type = 'tool_output', call = 1, stream = 'stdout', text = 'part' })
  H.eq(
    [[
desk · scripted/m
> Why?

Hm.

I look twice.
At once.
… 1 find { "at": [1, "x"], "id": 7 }
  │ partly
… 2 track not JSON]],
    (send({ type = 'tool_output', call = 1, stream = 'stdout', text = 'ly' }))
  )
  send({ type = 'tool_completed', call = 2, tool = 'track', is_error = true, result = 'error: no', ms = 5 })
  send({ type = 'tool_completed', call = 1, tool = 'find', is_error = false, result = 'a\nb\n', ms = 2500 })
  send({ type = 'step_completed', step = 1, usage = { input = 10, output = 5 }, stop_reason = 'tool_use' })
  send({ type = 'step_started', step = 2 })
  send({ type = 'text_delta', text = 'Done.' })
  H.eq(
    [[
desk · scripted/m
> Why?

Hm.

I look twice.
At once.
✓ 1 find { "at": [1, "x"], "id": 7 } · 2.5 s
  │ a
  │ b
✗ 2 track not JSON · 5 ms
  │ error: no

Done.

✓ answered · 1/6 iterations · 2/12 calls · 42 tokens · 1.2 s]],
    (send(ended()))
  )
end)

H.test('only an answer looks like success', function()
  local limit = { name = 'calls', reached = 13, max = 12, line = 30 }
  for expected, fields in pairs({
    ['stopped at a limit: calls 13 of 12, set in line 31'] = { stop = 'limit', limit = limit },
    ['cancelled'] = { stop = 'cancelled' },
    ['refused by the model'] = { stop = 'refusal' },
    ['cut off: the reply reached max_tokens'] = { stop = 'max_tokens' },
    ['failed: no such thing'] = { stop = 'failed', reason = 'no such\nthing' },
  }) do
    local send = new_run()
    send(started())
    local text = send(ended(fields))
    H.contains(text, '\n■ ' .. expected .. ' · ')
    H.lacks(text, '✓')
  end
end)

H.test('text of others is shown and never interpreted', function()
  local evil = '%{system("touch evil")} %#Error# \27[31m vim: set ft=lua: \226\128\174'
  local send = new_run()
  send(started({ loop = evil, prompt = evil }))
  send({ type = 'text_delta', text = '\n# vim: set filetype=lua :\n' })
  local text, buf = send({ type = 'tool_started', call = 1, tool = evil, input = evil })
  H.contains(text, '%{system("touch evil")}')
  H.eq('loopls-run', vim.bo[buf].filetype)
  H.eq(false, vim.bo[buf].modeline)
  vim.cmd.doautocmd({ 'BufReadPost', mods = { silent = true } })
  local win = vim.fn.win_findbuf(buf)[1]
  local winbar = vim.wo[win].winbar
  H.lacks(winbar, 'system')
  local shown = vim.api.nvim_eval_statusline(winbar, { winid = win, use_winbar = true, maxwidth = 300 }).str
  H.contains(shown, '%{system("touch evil")} %#Error#')
  shown = vim.api.nvim_eval_statusline(require('loopls').statusline(), { maxwidth = 300 }).str
  H.contains(shown, '%{system("touch evil")} %#Error#')
  send(ended())
  H.eq('', require('loopls').statusline())
end)

H.test('a long result is cut, and says by how much', function()
  local send = new_run()
  send(started())
  send({ type = 'tool_started', call = 1, tool = 'find', input = {} })
  local lines = {}
  for index = 1, 100 do
    lines[index] = ('line %d'):format(index)
  end
  local text = send({ type = 'tool_output', call = 1, stream = 'stdout', text = table.concat(lines, '\n') })
  H.contains(text, '  │ … 60 more lines\n  │ line 61\n')
  H.contains(text, '  │ line 100')
  lines[1] = ('é'):rep(32500)
  text = send({
    type = 'tool_completed',
    call = 1,
    tool = 'find',
    is_error = false,
    ms = 1,
    result = table.concat(lines, '\n'),
  })
  H.contains(text, ('é'):rep(1000) .. '… [65000 bytes]\n  │ line 2\n')
  H.contains(text, '  │ line 40\n  │ … 60 more lines')
  H.lacks(text, 'line 41')
end)

H.test('a window follows while its cursor is on the last line, and stays where it was put', function()
  local send = new_run()
  local _, buf = send(started())
  local win = vim.fn.win_findbuf(buf)[1]
  send({ type = 'text_delta', text = ('text\n'):rep(50) })
  H.eq(vim.api.nvim_buf_line_count(buf), vim.api.nvim_win_get_cursor(win)[1])
  vim.api.nvim_win_set_cursor(win, { 3, 0 })
  send({ type = 'text_delta', text = 'more\n' })
  H.eq(3, vim.api.nvim_win_get_cursor(win)[1])
end)

H.test('50,000 chunks come to one text', function()
  local send = new_run()
  local _, buf = send(started())
  for _ = 1, 50000 do
    run.on_event(
      nil,
      { run = ('run-%d'):format(count), seq = 1, event = { type = 'text_delta', text = 'ab\n' } },
      {}
    )
  end
  H.eq(50000 + 4, vim.api.nvim_buf_line_count(buf))
end)
