import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { InteractionPayload } from '../../shared/domain/index.ts';
import { buildDiscordCommands } from '../../infra/cli/discord-commands.ts';
import { DEFINITIONS_FOLDER, LIST_FILE, generateList, DOCS_FILE } from '../../infra/cli/list-commands.ts';
import { updateDocs } from '../../infra/cli/command-docs.ts';
import { DISCORD_LIST_FILE, generateDiscordList } from '../../infra/cli/list-discord-commands.ts';
import { COMMANDS, DISCORD_MESSAGE_COMMANDS, FILES } from '../../shared/commands/command-list.ts';
import { DISCORD_FRONT_COMMANDS } from '../../shared/commands/discord-front-commands.ts';
import { isOnPlatform } from '../../shared/commands/framework/command-spec.ts';

import { fakeInteraction, commandHarness } from './command-harness.ts';
import * as count from './count.ts';

const read = (file: string) => readFile(file, 'utf8');
/** The cells of tables are padded. */
const plain = (page: string) => page.replaceAll(/ +/gu, ' ').replaceAll(/-{3,}/gu, '---');

test('the list and docs/commands.md are as `npm run format` writes them; Discord allows fifteen in the menu of a message', async () => {
  expect(await generateList(DEFINITIONS_FOLDER)).toBe(await read(LIST_FILE));
  const page = await read(DOCS_FILE);
  expect(plain(updateDocs(page, FILES))).toBe(plain(page));
  expect(updateDocs(page, [])).not.toBe(page);
  const inMenu = FILES.flatMap(({ messageCommand }) =>
    messageCommand && isOnPlatform(messageCommand, 'discord') ? [messageCommand] : [],
  );
  expect(DISCORD_MESSAGE_COMMANDS).toEqual(inMenu);
  // docs.discord.com/developers/interactions/application-commands#registering-a-command
  expect(inMenu.length).toBeLessThanOrEqual(15);
});

test('the list for Discord’s front is as `npm run format` writes it, and names each command and the modals that open', async () => {
  expect(generateDiscordList(COMMANDS)).toBe(await read(DISCORD_LIST_FILE));
  const pick = COMMANDS.map(({ name, opens }) => ({ name, opens }));
  expect(DISCORD_FRONT_COMMANDS.map(({ name, opens }) => ({ name, opens }))).toEqual(pick);
  expect(DISCORD_FRONT_COMMANDS).toContainEqual({
    name: 'ask',
    answers: 'public',
    suggests: { model: 'model', schema: 'schema' },
  });
});

test('the file that CONTRIBUTING.md shows is a whole command: it is listed, registered, documented and answers', async () => {
  const file = (await read('test/commands/count.ts'))
    .replaceAll('../../shared/commands/', '../')
    .replaceAll('../../shared/', '../../');
  expect(await read('CONTRIBUTING.md')).toContain(`\`\`\`ts\n${file}\`\`\``);
  const folder = await mkdtemp(join(tmpdir(), 'parley-commands-'));
  await writeFile(join(folder, 'count.ts'), file);
  const list = await generateList(folder);
  for (const line of [
    "import * as countCommand from './definitions/count.ts';",
    '  countCommand.spec,',
    '  countCommand,',
  ])
    expect(list.split('\n')).toContain(line);
  expect(buildDiscordCommands([count])).toMatchObject([
    {
      name: 'count',
      name_localizations: { de: 'zählen' },
      options: [{ name_localizations: { ko: '내용' } }],
    },
  ]);
  expect(updateDocs(await read(DOCS_FILE), [count])).toContain(
    '| `count text` | yes | yes | private | How long a text is |',
  );
  const { context, stage, time } = commandHarness();
  const call: Extract<InteractionPayload, { kind: 'command' }> = {
    kind: 'command',
    name: 'count',
    options: { text: 'Grüße' },
    attachments: [],
  };
  const called = {
    interaction: fakeInteraction(call),
    payload: call,
    options: call.options,
    locale: 'de',
    admin: false,
  } as const;
  await count.run({ ...called, commands: [] }, context, {
    deadline: time.now(),
    isRedelivery: false,
    isLast: false,
  });
  expect(stage.answers[0]?.card.parts).toEqual([{ kind: 'text', markdown: '5 Zeichen' }]);
});
