--- The `[[tests]]` of definitions: running them, and what they missed as diagnostics where it was expected.
local run = require('loopls.run')
local startable = require('loopls.startable')
local text = require('loopls.text')
local view = require('loopls.view')

local M = {}

local namespace = vim.api.nvim_create_namespace('loopls.tests')

--- Puts what a test missed beside what other tests missed.
---@param bufnr integer
---@param name string
---@param client vim.lsp.Client
---@param misses { range: lsp.Range, message: string }[]
local function mark(bufnr, name, client, misses)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local diagnostics = vim.tbl_filter(function(diagnostic)
    return diagnostic.user_data.test ~= name
  end, vim.diagnostic.get(bufnr, { namespace = namespace }))
  local function column(position)
    local line = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ''
    return vim.str_byteindex(line, client.offset_encoding, position.character, false)
  end
  for _, miss in ipairs(misses) do
    table.insert(diagnostics, {
      lnum = miss.range.start.line,
      col = column(miss.range.start),
      end_lnum = miss.range['end'].line,
      end_col = column(miss.range['end']),
      severity = vim.diagnostic.severity.ERROR,
      source = 'loopls test',
      message = text.one_line(miss.message, 1000),
      user_data = { test = name },
    })
  end
  vim.diagnostic.set(namespace, bufnr, diagnostics)
end

--- What a person is told of tests that are over: how many, and which did not pass.
---@param ended loopls.Run[]
local function tell(ended)
  local failed = vim.tbl_filter(function(one)
    return not view.is_success(one.view)
  end, ended)
  local lines = { ('loopls: %d of %d tests passed'):format(#ended - #failed, #ended) }
  for _, one in ipairs(failed) do
    table.insert(lines, text.one_line(('%s: %s'):format(one.arguments.test, view.status(one.view)), 300))
  end
  vim.notify(table.concat(lines, '\n'), #failed == 0 and vim.log.levels.INFO or vim.log.levels.ERROR)
end

--- Runs tests one after the other: one in a window of its run, several without.
---@param client vim.lsp.Client
---@param bufnr integer
---@param names string[]
function M.run(client, bufnr, names)
  local uri = vim.uri_from_bufnr(bufnr)
  local ended = {}
  local function next_test()
    local name = names[#ended + 1]
    if not name then
      tell(ended)
      return
    end
    run.start(client, bufnr, { uri = uri, test = name }, {
      is_hidden = #names > 1,
      on_end = function(one)
        local verdict = one.view.verdict
        mark(bufnr, name, client, verdict and verdict.misses or {})
        table.insert(ended, one)
        if one.view.ended.stop == 'cancelled' then
          tell(ended)
        else
          next_test()
        end
      end,
    })
  end
  next_test()
end

--- Runs the named test of the current buffer, or all it has.
---@param client vim.lsp.Client
---@param name? string
function M.run_here(client, name)
  local names = name and { name } or startable.names(client, 'test')
  if #names == 0 then
    vim.notify('loopls: this definition has no tests')
    return
  end
  M.run(client, vim.api.nvim_get_current_buf(), names)
end

return M
