export const help = `Usage: meguri [command] [options]

  meguri                    starts Meguri and opens it in the browser
  meguri ask "question"     prints the answer as it comes; what is piped in is added to the question
  meguri mcp                is an MCP server on stdin and stdout, with all servers that are set up in Meguri
  meguri import <file>      takes conversations from an export of Meguri, ChatGPT, Claude, LibreChat or Open WebUI
  meguri export <file>      writes all conversations into a .zip
  meguri backup <file>      writes everything that Meguri keeps into one file (--with-secret: what opens its keys, too)
  meguri restore <file>     puts a backup into an empty data folder
  meguri replay <file>      prints the file of a run as text

Options
  --data <folder>           where everything is kept, in place of the usual folder
  --port <number>           where to listen (3000)
  --no-open                 opens no browser
  --model <provider/name>   ask: the model that answers
  --assistant <name or id>  ask: the assistant that answers
  --conversation <id>       ask: goes on with this conversation
  --json                    ask: prints each chunk of the answer as a line of JSON
  --url <address>           ask, mcp, import, export: another Meguri; its token is read from MEGURI_TOKEN
  --help, --version

ask, mcp, import and export use the Meguri that runs on the data folder; where none does, they start one for themselves.
Variables can be put into a file .env in the data folder. More: docs/cli.md.`;
