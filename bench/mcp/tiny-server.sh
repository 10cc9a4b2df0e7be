#!/bin/sh
# An MCP server that costs next to nothing, for measuring what many of them cost their host.
while IFS= read -r line; do
  case "$line" in *'"id":'*) ;; *) continue ;; esac
  id=${line##*'"id":'}
  id=${id%%[,\}]*}
  case "$line" in
  *'"initialize"'*) body='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tiny","version":"1.0.0"}}' ;;
  *'"tools/list"'*) body='"result":{"tools":[{"name":"echo","description":"Says it again.","inputSchema":{"type":"object"}}]}' ;;
  *) body='"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$body"
done
