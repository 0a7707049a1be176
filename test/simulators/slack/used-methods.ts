import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', '..', 'shared', 'platforms', 'slack');

/** The code behind the port of Slack, which alone calls it. */
export const ADAPTER_SOURCES = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .join('\n');

/** The methods of the Web API that the bot calls, by how they stand in its sources. */
export const USED_METHODS: ReadonlySet<string> = new Set(
  ADAPTER_SOURCES.match(
    /(?<=')(?!files\.refused)(?:agents|apps|assistant|auth|bookmarks|bots|canvases|chat|conversations|dnd|emoji|files|pins|reactions|search|team|usergroups|users|views)\.[a-z]\w*(?:\.\w+)?(?=')/g,
  ),
);
