--- The runs of this session: started here, drawn from the server's events, each in a window of its own.
local text = require('loopls.text')
local view = require('loopls.view')
local Window = require('loopls.window')

local M = {}

---@class loopls.Run
---@field id string
---@field number integer Counts the runs of this session.
---@field client_id integer
---@field bufnr integer The definition's buffer.
---@field arguments loopls.RunArguments
---@field view loopls.View
---@field window loopls.Window
---@field options loopls.RunOptions

---@type table<string, loopls.Run>
local runs = {}
local count = 0

local function new_id()
  return (vim.uv.random(16):gsub('.', function(byte)
    return ('%02x'):format(byte:byte())
  end))
end

---@param id string
---@param client_id integer
---@param bufnr integer
---@param arguments loopls.RunArguments
---@param options? loopls.RunOptions
---@return loopls.Run
local function add(id, client_id, bufnr, arguments, options)
  count = count + 1
  local run = {
    id = id,
    number = count,
    client_id = client_id,
    bufnr = bufnr,
    arguments = arguments,
    view = view.new(),
    window = Window.new(),
    options = options or {},
  }
  runs[id] = run
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = run.window.buf,
    callback = function()
      -- One that goes on can still be stopped.
      if run.view.ended then
        runs[id] = nil
      end
    end,
  })
  return run
end

--- The runs that go on, the newest first.
---@param uri? string only those of this definition
---@return loopls.Run[]
function M.active(uri)
  local active = vim.tbl_filter(function(run)
    return not run.view.ended and (not uri or run.arguments.uri == uri)
  end, vim.tbl_values(runs))
  table.sort(active, function(a, b)
    return a.number > b.number
  end)
  return active
end

--- The run that is drawn in this buffer.
---@param buf integer
---@return loopls.Run?
function M.of_buffer(buf)
  for _, run in pairs(runs) do
    if run.window.buf == buf then
      return run
    end
  end
end

--- Makes room for a run: the window of one that is over, else a part of one that goes on, else a new one.
---@param run loopls.Run
local function show(run)
  local over, going
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local other = M.of_buffer(vim.api.nvim_win_get_buf(win))
    if other and other ~= run then
      over = over or (other.view.ended and win)
      going = not other.view.ended and win or going
    end
  end
  run.window:show(over, going)
end

--- Gives up the buffer of a run, which nobody can look at any more.
---@param run loopls.Run
local function discard(run)
  runs[run.id] = nil
  if run.window:is_valid() then
    vim.api.nvim_buf_delete(run.window.buf, { force = true })
  end
end

--- Tells whoever listens, and asks for the lenses anew: a server may show the last run in them.
---@param run loopls.Run
---@param pattern 'LoopRunStarted'|'LoopRunEnded'
---@param stop? string
local function announce(run, pattern, stop)
  require('loopls.lens').refresh(run.client_id, run.bufnr)
  vim.api.nvim_exec_autocmds('User', {
    pattern = pattern,
    modeline = false,
    data = { run = run.id, uri = run.arguments.uri, stop = stop },
  })
end

--- A run that ended before it began has nothing to draw: a message says why, or a question asks for what is missing.
---@param run loopls.Run
---@param event table
local function refuse(run, event)
  discard(run)
  local reason = event.reason or ''
  if event.stop == 'cancelled' then
    return
  elseif reason == 'no_prompt' then
    vim.ui.input({ prompt = 'Prompt: ' }, function(prompt)
      local client = vim.lsp.get_client_by_id(run.client_id)
      if client and prompt and vim.trim(prompt) ~= '' then
        M.start(client, run.bufnr, vim.tbl_extend('force', run.arguments, { prompt = prompt }))
      end
    end)
    return
  elseif reason == 'not_trusted' then
    reason = 'this folder is not trusted'
  end
  vim.notify('loopls: nothing was run: ' .. text.one_line(reason), vim.log.levels.ERROR)
end

--- Takes an event into the run's view and draws it.
---@param run loopls.Run
---@param event table
local function take(run, event)
  if run.view.ended then
    return
  end
  local has_begun = run.view.begun
  view.apply(run.view, event)
  if event.type == 'run_ended' and not has_begun then
    refuse(run, event)
  elseif run.window:is_valid() then
    if event.type == 'run_started' and not run.options.is_hidden then
      show(run)
    end
    run.window:draw(event, run.view)
  elseif event.type == 'run_ended' then
    runs[run.id] = nil
  end
  if event.type == 'run_started' then
    announce(run, 'LoopRunStarted')
  elseif event.type == 'run_ended' then
    announce(run, 'LoopRunEnded', event.stop)
    if run.options.is_hidden then
      discard(run)
    end
    if run.options.on_end then
      run.options.on_end(run)
    end
  end
end

--- The buffer that shows `uri`; 0 if none does.
local function buffer_of(uri)
  return vim.iter(vim.api.nvim_list_bufs()):find(function(buf)
    return vim.api.nvim_buf_is_loaded(buf) and vim.uri_from_bufnr(buf) == uri
  end) or 0
end

--- Handles `loopls/runEvent`: `{ run, seq, event }`.
function M.on_event(_, params, context)
  local run = runs[params.run]
  if not run then
    -- Started by something else on this client: drawn all the same, from its beginning on.
    if params.event.type ~= 'run_started' then
      return
    end
    local uri = params.event.uri
    run = add(params.run, context.client_id, buffer_of(uri), { uri = uri })
  end
  take(run, params.event)
end

--- Handles `loopls/testEnded`, which comes before the last event of a run that is a test.
---@param verdict loopls.Verdict | { run: string }
function M.on_test_ended(_, verdict)
  local run = runs[verdict.run]
  if run then
    run.view.verdict = verdict
  end
end

--- Ends the runs of a server that is gone: nothing else will.
function M.on_server_exit(code, signal, client_id)
  vim.schedule(function()
    for _, run in ipairs(M.active()) do
      if run.client_id == client_id then
        local reason = ('the server ended (exit code %d, signal %d)'):format(code, signal)
        take(run, {
          type = 'run_ended',
          stop = 'failed',
          reason = reason,
          iterations = run.view.iterations,
          calls = run.view.calls,
          usage = { input = run.view.tokens, output = 0 },
        })
      end
    end
  end)
end

---@class loopls.RunArguments The argument of `loopls.run`.
---@field uri string
---@field mode? string
---@field prompt? string
---@field test? string

---@class loopls.RunOptions
---@field is_hidden? boolean It gets no window, and nothing of it is kept.
---@field on_end? fun(run: loopls.Run) Called when it is over, also if it never began.

--- Starts a run of what the buffer shows, saved or not.
---@param client vim.lsp.Client
---@param bufnr integer
---@param arguments loopls.RunArguments
---@param options? loopls.RunOptions
---@return string id
function M.start(client, bufnr, arguments, options)
  local run = add(new_id(), client.id, bufnr, arguments, options)
  local params = {
    command = 'loopls.run',
    arguments = { vim.tbl_extend('force', arguments, { run = run.id }) },
  }
  client:request('workspace/executeCommand', params, function(err)
    if err then
      take(run, {
        type = 'run_ended',
        stop = 'failed',
        reason = err.message,
        iterations = 0,
        calls = 0,
        usage = { input = 0, output = 0 },
      })
    end
  end, bufnr)
  return run.id
end

--- Cancels runs. Their ends come as events.
---@param which loopls.Run[]
function M.cancel(which)
  for _, run in ipairs(which) do
    local client = vim.lsp.get_client_by_id(run.client_id)
    if client then
      local params = { command = 'loopls.cancel', arguments = { { run = run.id } } }
      client:request('workspace/executeCommand', params, function(err)
        if err then
          vim.notify('loopls: ' .. text.one_line(err.message), vim.log.levels.ERROR)
        end
      end)
    end
  end
end

--- What a lens and a code action call.
---@param command lsp.Command
---@param context { bufnr: integer, client_id: integer }
function M.on_run_command(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not client then
    return
  end
  local arguments = command.arguments[1]
  if arguments.test then
    require('loopls.tests').run(client, context.bufnr, { arguments.test })
  else
    M.start(client, context.bufnr, arguments)
  end
end

return M
