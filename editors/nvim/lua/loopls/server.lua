--- Finds the server and starts it, always by an absolute path.
local config = require('loopls.config')

local M = {}

local on_windows = vim.fn.has('win32') == 1

--- `path` without symlinks, or as it is where there is nothing.
local function real(path)
  return vim.fs.normalize(vim.uv.fs_realpath(path) or path)
end

local function is_absolute(path)
  return path:match('^/') ~= nil or (on_windows and path:match('^%a:[/\\]') ~= nil)
end

--- Whether `path` is `folder` or below it.
local function is_inside(path, folder)
  return path == folder or vim.startswith(path, folder == '/' and folder or folder .. '/')
end

--- The first `loopls` on `PATH`, without entries that a folder someone else wrote could have a hand in: relative
--- ones, and ones inside `folder`.
---@param folder? string
---@return string? path
---@return string? skipped one that was passed over for standing inside `folder`
local function on_path(folder)
  local inside = folder and real(folder)
  local skipped
  for _, entry in ipairs(vim.split(vim.env.PATH or '', on_windows and ';' or ':', { plain = true })) do
    local path = is_absolute(entry) and vim.fn.exepath(vim.fs.joinpath(entry, 'loopls')) or ''
    if path ~= '' then
      -- The entry may be outside and the program in it a link to the inside.
      if not (inside and (is_inside(real(entry), inside) or is_inside(real(path), inside))) then
        return path
      end
      skipped = skipped or path
    end
  end
  return nil, skipped
end

--- The server for files under `folder`.
---@param folder? string
---@return string? path absolute
---@return string? reason why there is none
function M.find(folder)
  local configured = config.get().server
  if configured then
    local path = vim.fs.normalize(configured)
    if not is_absolute(path) then
      return nil, ('vim.g.loopls.server is not an absolute path: %s'):format(configured)
    end
    if vim.fn.executable(path) == 0 then
      return nil, ('vim.g.loopls.server is not a program: %s'):format(path)
    end
    return path
  end
  local path, skipped = on_path(folder)
  if path then
    return path
  end
  if skipped then
    return nil,
      ('%s is inside the open folder, so it is not started; set vim.g.loopls.server to use it'):format(
        skipped
      )
  end
  return nil, 'no loopls on PATH; install it, or set vim.g.loopls.server to its absolute path'
end

--- What `root_dir` found for a root ('' for none) and `start` is about to start.
---@type table<string, string>
local found = {}

--- What is in a project's root, for `vim.fs.root`: the same as for the server.
M.root_markers = { { 'loopls.toml', '.git' } }

--- Decides whether to attach, and to what root. Neovim starts nothing unless `on_dir` is called, and is silent
--- about a server that is not there: so this says it, once.
---@param bufnr integer
---@param on_dir fun(root: string?)
function M.root_dir(bufnr, on_dir)
  local root = vim.fs.root(bufnr, M.root_markers)
  if type(vim.lsp.config.loopls.cmd) ~= 'table' then
    local name = vim.api.nvim_buf_get_name(bufnr)
    local path, reason = M.find(root or (name ~= '' and vim.fs.dirname(name) or nil))
    if not path then
      vim.notify_once('loopls: ' .. reason, vim.log.levels.WARN)
      return
    end
    found[root or ''] = path
  end
  on_dir(root)
end

--- Starts the server (the `cmd` of the client).
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param client_config? vim.lsp.ClientConfig
---@return vim.lsp.rpc.PublicClient
function M.start(dispatchers, client_config)
  local root = client_config and client_config.root_dir
  local path = found[root or ''] or assert(M.find(root))
  local cmd = vim.list_extend({ path, 'lsp' }, config.get().args)
  return vim.lsp.rpc.start(cmd, dispatchers, { cwd = root })
end

--- Tells the server what the person's configuration says of trust, as of now.
---@param params lsp.InitializeParams
function M.before_init(params)
  local trust = { trust = config.get().trust }
  params.initializationOptions = vim.tbl_extend('keep', params.initializationOptions or {}, trust)
end

return M
