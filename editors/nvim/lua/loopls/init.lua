--- What `:LoopRun` and its like call, for mappings of one's own.
local run = require('loopls.run')
local text = require('loopls.text')
local view = require('loopls.view')

local M = {}

--- The client of the current buffer; says so if there is none.
---@return vim.lsp.Client?
local function client_here()
  local client = vim.lsp.get_clients({ bufnr = 0, name = 'loopls' })[1]
  if not client then
    vim.notify('loopls is not attached to this buffer; :checkhealth loopls says why', vim.log.levels.WARN)
  end
  return client
end

--- Runs the loop of the current buffer as it is shown, saved or not.
---@param options? { mode?: string, prompt?: string }
function M.run(options)
  local client = client_here()
  if client then
    local arguments = vim.tbl_extend('force', options or {}, { uri = vim.uri_from_bufnr(0) })
    run.start(client, vim.api.nvim_get_current_buf(), arguments)
  end
end

--- Stops the run that the current buffer shows, else the newest of its definition, else the only one there is.
---@param options? { all?: boolean }
function M.stop(options)
  local which = run.active()
  if not (options and options.all) then
    local here = run.of_buffer(vim.api.nvim_get_current_buf())
    local of_definition = run.active(vim.uri_from_bufnr(0))
    if here then
      which = here.view.ended and {} or { here }
    elseif #of_definition > 0 then
      which = { of_definition[1] }
    elseif #which > 1 then
      vim.notify('loopls: several runs go on; use :LoopStop in the window of one, or :LoopStop!')
      return
    end
  end
  if #which == 0 then
    vim.notify('loopls: nothing runs')
  end
  run.cancel(which)
end

--- Runs a test of the current buffer, or all it has.
---@param name? string
function M.test(name)
  local client = client_here()
  if client then
    require('loopls.tests').run_here(client, name)
  end
end

---@param kind 'mode'|'test'
---@return string[]
local function names(kind)
  local client = vim.lsp.get_clients({ bufnr = 0, name = 'loopls' })[1]
  return client and require('loopls.startable').names(client, kind) or {}
end

--- The names of the modes of the current buffer.
---@return string[]
function M.modes()
  return names('mode')
end

--- The names of the tests of the current buffer.
---@return string[]
function M.tests()
  return names('test')
end

--- Shows what each mode comes to in a floating window.
function M.resolve()
  local client = client_here()
  if client then
    require('loopls.resolve').show(client, vim.api.nvim_get_current_buf())
  end
end

--- What runs now, for a statusline: empty when nothing does.
---@return string
function M.statusline()
  local newest = run.active()[1]
  if not newest then
    return ''
  end
  return text.statusline(('%s: %s'):format(newest.view.loop, view.status(newest.view)))
end

return M
