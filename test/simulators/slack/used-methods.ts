import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', '..', 'shared', 'platforms', 'slack');

/** The code behind the Slack port, which is the only user of the Web API. */
const ADAPTER_SOURCES = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .join('\n');

/** The Web API methods that the bot calls, found by their form in the source. */
export const USED_METHODS: ReadonlySet<string> = new Set(
  ADAPTER_SOURCES.match(
    /(?<=')(?!files\.(?:refused|canvas)\b)(?:agents|apps|assistant|auth|bookmarks|bots|canvases|chat|conversations|dnd|emoji|files|pins|reactions|search|team|usergroups|users|views)\.[a-z]\w*(?:\.\w+)?(?=')/g,
  ),
);
