--- `:checkhealth loopls`.
local config = require('loopls.config')
local run = require('loopls.run')
local server = require('loopls.server')
local text = require('loopls.text')

local health = vim.health
local M = {}

--- The version of `experimental.loopls.protocol` that this plugin speaks.
local PROTOCOL = 1

local function check_neovim()
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok(('Neovim %s'):format(tostring(vim.version())))
  else
    health.error('Neovim is older than 0.11')
  end
  if vim.filetype.match({ filename = 'x.loop.toml' }) == 'loop-toml' then
    health.ok('`*.loop.toml` has the filetype loop-toml')
  else
    health.error(
      '`*.loop.toml` has not the filetype loop-toml',
      'Is the plugin on the runtimepath, and `:filetype` on?'
    )
  end
  if vim.treesitter.language.add('toml') then
    health.ok('treesitter has a parser for TOML')
  else
    health.info('treesitter has no parser for TOML: the syntax file colours')
  end
end

local function check_server()
  local path, reason = server.find(vim.fs.root(0, server.root_markers))
  if not path then
    health.error(reason, 'Install loopls, or set `vim.g.loopls = { server = "/absolute/path/of/loopls" }`.')
    return
  end
  local ok, result = pcall(function()
    return vim.system({ path, '--version' }, { text = true, timeout = 5000 }):wait()
  end)
  if ok and result.code == 0 then
    health.ok(('%s: %s'):format(path, text.one_line(result.stdout)))
  else
    health.error(('%s does not start: %s'):format(path, text.one_line(ok and result.stderr or result)))
  end
end

local function check_clients()
  if vim.lsp.is_enabled('loopls') then
    health.ok('loopls is enabled')
  else
    health.warn('loopls is not enabled', 'Call `vim.lsp.enable("loopls")`.')
  end
  local clients = vim.lsp.get_clients({ name = 'loopls' })
  if #clients == 0 then
    health.info('no server runs: one starts with the first definition that is opened')
  end
  for _, client in ipairs(clients) do
    local experimental = client.server_capabilities.experimental or {}
    local protocol = experimental.loopls and experimental.loopls.protocol
    local buffers = vim.tbl_count(client.attached_buffers)
    local version = client.server_info and client.server_info.version or 'of an unknown version'
    if protocol == PROTOCOL then
      health.ok(('a server %s serves %d buffers'):format(version, buffers))
    else
      local advice = 'Update the server and this plugin to the same version.'
      health.warn(('a server %s does not speak version %d of run events'):format(version, PROTOCOL), advice)
    end
  end
  health.info(('%d runs go on'):format(#run.active()))
end

local function check_trust()
  local trust = config.get().trust
  if trust == nil then
    health.info('trust: the server asks for each folder before the first run in it')
  elseif trust == 'trusted' then
    health.warn('trust: runs start in every folder without a question')
  elseif trust == 'restricted' then
    health.info('trust: nothing is started')
  else
    health.error('vim.g.loopls.trust is neither "trusted" nor "restricted"')
  end
end

function M.check()
  health.start('loopls')
  check_neovim()
  check_server()
  check_clients()
  check_trust()
end

return M
