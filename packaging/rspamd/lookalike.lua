-- rspamd asks `lookalike serve` for the verdict on each message.
--
-- Copy this file to /etc/rspamd/plugins.d/, and write into /etc/rspamd/rspamd.conf.local:
--
--   lookalike {
--     url = "http://127.0.0.1:7070/v1/filter";  # token = "…"; where the service has tokens
--     timeout = 0.5;                            # seconds
--     max_size = 8388608;                       # bytes; longer messages are not asked about
--   }
--
-- Symbols (their scores are set in /etc/rspamd/local.d/groups.conf as those of any other): LOOKALIKE_SPAM, LOOKALIKE_UNSURE
-- and LOOKALIKE_HAM, with the prototype and its reports as options. A message on which no verdict comes has no symbol.

local options = rspamd_config:get_all_opt("lookalike")
if not options then return end

local http = require "rspamd_http"
local logger = require "rspamd_logger"
local ucl = require "ucl"

local url = options.url or "http://127.0.0.1:7070/v1/filter"
local timeout = tonumber(options.timeout) or 0.5
local max_size = tonumber(options.max_size) or 8 * 1024 * 1024
local scores = { LOOKALIKE_SPAM = 6.0, LOOKALIKE_UNSURE = 0.0, LOOKALIKE_HAM = 0.0 }

local function answered(task, err, code, body)
  local parser = ucl.parser()
  if err or code ~= 200 or not parser:parse_string(tostring(body)) then
    logger.infox(task, "lookalike: no verdict: %s", err or code)
    return
  end
  local verdict = parser:get_object()
  local symbol = "LOOKALIKE_" .. string.upper(tostring(verdict.verdict))
  if not scores[symbol] or not verdict.match then return end
  task:insert_result(symbol, 1.0, {
    "match=" .. verdict.match.id,
    string.format("score=%.4f", verdict.score),
    string.format("spam-reports=%d", verdict.reports.spam),
    string.format("ham-reports=%d", verdict.reports.ham),
  })
end

local function ask(task)
  if task:get_size() > max_size then return end
  local headers = { ["deadline-ms"] = tostring(math.floor(timeout * 1000)) }
  if options.token then headers["authorization"] = "Bearer " .. options.token end
  http.request({
    task = task,
    url = url,
    method = "post",
    mime_type = "message/rfc822",
    headers = headers,
    body = task:get_content(),
    timeout = timeout,
    callback = function(err, code, body) answered(task, err, code, body) end,
  })
end

local parent = rspamd_config:register_symbol({ name = "LOOKALIKE", type = "callback", callback = ask })
for name, score in pairs(scores) do
  rspamd_config:register_symbol({ name = name, type = "virtual", parent = parent, score = score, group = "lookalike" })
end
