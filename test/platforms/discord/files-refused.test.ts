import { afterEach, describe, expect, test } from '@jest/globals';
import { readList, readString } from '../../../shared/platforms/discord/api/json-path.ts';
import { ThreadDeletedError } from '../../../shared/platforms/ports/index.ts';
import { ADA, GENERAL, LOUNGE } from '../../simulators/discord/index.ts';
import { closeAll, fileNames, discordWithDeniedPermissions } from './denied-permissions.ts';

afterEach(closeAll);

describe('without Attach Files', () => {
  const TABLE = `Numbers:\n\n| ${Array.from({ length: 14 }, (_, i) => `a long column ${i}`).join(' | ')} |\n|${'---|'.repeat(14)}\n| ${'1 | '.repeat(14)}\n\nThat is all.`;
  test('the text is posted, and the files go to the asker', async () => {
    const { ask, reply, lastMessage, direct } = await discordWithDeniedPermissions(['AttachFiles']);
    const turn = ask('numbers?');
    await reply(turn).publish(TABLE);
    const [answer] = lastMessage(turn.message);
    expect(readString(answer, 'content')).toContain('That is all.');
    expect(readString(answer, 'content')).toContain('“Attach Files”');
    expect(fileNames(answer)).toEqual([]);
    expect(fileNames(direct()[0])).toEqual([expect.stringMatching(/\.csv$/u)]);
    expect(readString(direct()[0], 'content')).toContain(turn.message);
  });

  test('an asker who accepts no direct messages gets all the text in place, however long it is', async () => {
    const { core, ask, reply, texts } = await discordWithDeniedPermissions(['AttachFiles']);
    core.state.users.set(ADA, { ...core.userNamed('ada'), closed: true });
    const turn = ask('tell');
    await reply(turn).publish(
      Array.from({ length: 700 }, (_, i) => `Line ${i} of what is to be said.`).join('\n'),
    );
    expect(texts(turn.message).length).toBeGreaterThan(5);
    expect(texts(turn.message).at(-1)).toMatch(/Line 699 of what is to be said\.$/u);
  });

  test('in a guild in which nobody may attach files: the same', async () => {
    const { ask, reply, faults, lastMessage, direct } = await discordWithDeniedPermissions([]);
    const turn = ask('numbers?');
    faults.add({ kind: 'refuse', code: 400_001, route: 'POST /channels/{channel_id}/messages' });
    await reply(turn).publish(TABLE);
    expect(readString(lastMessage(turn.message)[0], 'content')).toContain('That is all.');
    expect(fileNames(direct()[0])).toEqual([expect.stringMatching(/\.csv$/u)]);
  });

  test('and without Send Messages the message names Send Messages', async () => {
    const { ask, reply, direct } = await discordWithDeniedPermissions([
      'AttachFiles',
      'SendMessages',
      'SendMessagesInThreads',
    ]);
    await expect(reply(ask('numbers?')).publish(TABLE)).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(direct().some((one) => readString(one, 'content')?.includes('“Send Messages”'))).toBe(true);
    expect(direct()).toHaveLength(1);
    expect(direct().flatMap(fileNames)).toEqual([expect.stringMatching(/\.csv$/u)]);
  });
});

test('a file with an expired URL whose message may not be read is reported as that', async () => {
  const { core, platform, turnOf, faults } = await discordWithDeniedPermissions(['ReadMessageHistory']);
  const id = core.say('ada', 'read this', {
    files: [{ name: 'a.txt', content: Buffer.from('x'), contentType: 'text/plain' }],
  });
  const [file] = readList(
    core.messages(GENERAL).find((one) => one['id'] === id),
    'attachments',
  );
  faults.add({ kind: 'status', status: 404, route: 'GET /attachments' });
  const attachment = { id: readString(file, 'url') ?? '', name: 'a.txt', mimetype: 'text/plain', bytes: 1 };
  await expect(platform.downloadFile(turnOf(id), attachment, 1_000)).rejects.toMatchObject({
    why: ['files.refused.no-permission', { permissions: 'Read Message History' }],
  });
});

/** Downloads a file that a message forwards from this channel, and whose URL has expired. */
const downloadForwarded = async (
  channel: string,
  denied: Parameters<typeof discordWithDeniedPermissions>[0],
) => {
  const { core, platform, turnOf, faults } = await discordWithDeniedPermissions(denied);
  const files = [{ name: 'a.txt', content: Buffer.from('of another channel'), contentType: 'text/plain' }];
  const question = core.forward('ada', core.say('ada', 'see', { channel, files }), GENERAL);
  const [file] = readList(
    core.messages(channel).find((one) => readString(one, 'content') === 'see'),
    'attachments',
  );
  faults.add({ kind: 'status', status: 404, route: 'GET /attachments' });
  const attachment = { id: readString(file, 'url') ?? '', name: 'a.txt', mimetype: 'text/plain', bytes: 18 };
  return platform.downloadFile(turnOf(question), attachment, 1_000);
};

describe('a forwarded file with an expired URL', () => {
  const VOICES = '301000000000000002';
  test.each([
    ['of another channel', VOICES],
    ['of a server without the bot', LOUNGE],
  ])('%s is fetched by the URL of the message that forwards it', async (_, channel) => {
    expect(Buffer.from(await downloadForwarded(channel, [])).toString()).toBe('of another channel');
  });

  test('is reported as one that needs a permission only if the bot lacks it in the channel of the question', async () => {
    await expect(downloadForwarded(LOUNGE, ['ReadMessageHistory'])).rejects.toMatchObject({
      why: ['files.refused.no-permission', { permissions: 'Read Message History' }],
    });
  });
});
