import { expect, test } from '@jest/globals';
import { type Card, messageId, type Thread } from '../../../shared/domain/index.ts';
import { getAttachmentName } from '../../../shared/platforms/discord/blocks/card-components.ts';
import {
  createDiscordMessenger,
  createRestCall,
  toWorkspaceId,
  toThread,
} from '../../../shared/platforms/discord/index.ts';
import { listCdnOrigins } from '../../../shared/platforms/discord/index.ts';
import { readList, readString } from '../../../shared/platforms/discord/api/json-path.ts';
import { FileUnavailableError } from '../../../shared/platforms/ports/index.ts';
import { GENERAL, GUILD } from '../../simulators/discord/index.ts';
import { discord, onDiscord } from './on-discord.ts';

onDiscord();

function stageOf() {
  const { apiUrl, applicationId, botToken } = discord;
  const time = { now: () => Date.now(), sleep: () => Promise.resolve() };
  const token = async () => botToken;
  return createDiscordMessenger({
    call: createRestCall({ apiUrl, applicationId, token, now: time.now, random: () => 0.5 }),
    time,
    applicationId,
    guild: async () => ({ tier: 0 }),
    findInteractionToken: async () => undefined,
    cdnOrigins: listCdnOrigins(apiUrl),
  });
}

const card = (...names: string[]): Card => ({
  parts: [
    { kind: 'text', markdown: 'What was said.' },
    {
      kind: 'files',
      files: names.map((name) => ({
        name,
        mimetype: 'text/plain',
        content: new TextEncoder().encode(`in ${name}`),
      })),
    },
  ],
});

test('the files of a card are attached to its message, and replace the earlier ones', async () => {
  const thread: Thread = toThread(
    toWorkspaceId(GUILD),
    GENERAL,
    messageId(discord.core.say('ada', 'Listen.')),
  );
  const stage = stageOf();
  const at = await stage.postCard(thread, { parts: [] }, 'job');
  const lastMessage = () => discord.core.messages(thread.root).at(-1);
  const filesOf = async () =>
    Promise.all(
      readList(lastMessage(), 'attachments').map(async (one) => [
        readString(one, 'filename'),
        await (await fetch(readString(one, 'url') ?? '')).text(),
      ]),
    );
  expect(await stage.postCard(thread, card('Réunion d’équipe.txt', 'b.vtt'), 'job', at)).toBe(at);
  expect(await filesOf()).toEqual([
    ['Reunion-d-equipe.txt', 'in Réunion d’équipe.txt'],
    ['b.vtt', 'in b.vtt'],
  ]);
  // Each has a component of its own, without which Discord does not show it.
  expect(JSON.stringify(lastMessage()).match(/"attachment_id"/gu)).toHaveLength(2);
  await stage.postCard(thread, card('c.txt'), 'job', at);
  expect(await filesOf()).toEqual([['c.txt', 'in c.txt']]);
  const route = 'PATCH /channels/{channel_id}/messages/{message_id}';
  discord.faults.add({ kind: 'refuse', code: 50_013, route });
  await expect(stage.postCard(thread, card('d.txt'), 'job', at)).rejects.toThrow(FileUnavailableError);
});

test.each([
  ['lecture-transcript.txt', 'lecture-transcript.txt'],
  ['Über uns: Teil 1.vtt', 'Uber-uns-Teil-1.vtt'],
  ['会議-文字起こし.srt', 'file.srt'],
  ['../../x.txt', '..-..-x.txt'],
])('a file named %s is named %s in Discord', (name, expected) => {
  expect(getAttachmentName(name)).toBe(expected);
});
