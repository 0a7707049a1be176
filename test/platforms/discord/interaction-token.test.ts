import { readInteraction } from '../../../shared/platforms/discord/inbound/interaction.ts';
import { describe, expect, test } from '@jest/globals';
import { messageId, type InteractionToken, type TurnRef, userId } from '../../../shared/domain/index.ts';
import { DiscordApiError, type DiscordRequest } from '../../../shared/platforms/discord/api/call.ts';
import { type Platform, type Reply, ThreadDeletedError } from '../../../shared/platforms/ports/index.ts';
import { toLocale } from '../../../shared/i18n/index.ts';
import { createDiscordPlatform, toWorkspaceId, toThread } from '../../../shared/platforms/discord/index.ts';

const EPOCH = 1_420_070_400_000;
const START = 1_790_000_000_000;
const ID = String(BigInt(START - EPOCH) << 22n);

/** Discord's response to a request; undefined: success. */
type Script = (request: DiscordRequest, nth: number) => Error | undefined;

/** A platform whose requests are recorded, with an interaction token. */
function harness(root: string, script: Script = () => undefined, until = START + 900_000, locale?: string) {
  let now = START + 1_000;
  let ids = BigInt(ID);
  const requests: DiscordRequest[] = [];
  const interactionToken: InteractionToken = {
    token: 'TICKET',
    id: messageId(ID),
    expiresAtMs: until,
    locale,
  };
  const platform = createDiscordPlatform({
    applicationId: '900',
    time: {
      now: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    },
    call: async (request) => {
      requests.push(request);
      const failure = script(request, requests.length);
      if (failure) throw failure;
      ids += 1n;
      if (request.path.startsWith('/users/@me/channels')) return { id: '777' };
      const edited = /messages\/(\d+)$/.exec(request.path)?.[1];
      return { id: edited ?? String(ids), content: request.body?.['content'] };
    },
    guild: async () => ({ locale: 'fr', tier: 0 }),
    findInteractionToken: async () => (now < until ? interactionToken : undefined),
  });
  const turn: TurnRef = {
    thread: toThread('21', '31', root),
    message: messageId(ID),
    asker: userId('41'),
    askerWorkspace: toWorkspaceId('21'),
  };
  return {
    platform,
    turn,
    requests,
    pass: (ms: number) => {
      now += ms;
    },
    sent: () => requests.map(({ method, path }) => `${method} ${path}`),
  };
}

/** As the features open it: in the language of the asker. */
const reply = (platform: Platform, turn: TurnRef): Reply =>
  platform.reply(turn, [], { locale: platform.getLocale(turn, turn.asker).then(toLocale) });

const long = Array.from({ length: 700 }, (_, i) => `Line ${i} says this and that.`).join('\n');
const dead = new DiscordApiError(404, 10015);

describe('an answer to an interaction', () => {
  test('replaces the deferred response by its token, and so do the following messages', async () => {
    const { platform, turn, requests, sent } = harness('c41');
    const ids = await reply(platform, turn).publish(long.slice(0, 3_000));
    expect(ids).toHaveLength(2);
    expect(sent()).toEqual([
      'PATCH /webhooks/900/TICKET/messages/@original',
      'POST /webhooks/900/TICKET?wait=true',
    ]);
    for (const { byInteractionToken, body } of requests) {
      expect(byInteractionToken).toBe(true);
      expect(body).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 });
    }
  });

  test('that is ephemeral stays so in every message, and is posted nowhere else', async () => {
    const { platform, turn, requests } = harness('p41');
    await reply(platform, turn).publish(long.slice(0, 3_000));
    expect(requests[1]?.body).toMatchObject({ flags: 68 });
    expect(await platform.findOrphanedMessages(turn)).toEqual({ ofTurn: [], unattributed: [] });
    expect(requests.every(({ byInteractionToken }) => byInteractionToken === true)).toBe(true);
  });

  test('is a file when it needs more messages than may follow', async () => {
    const { platform, turn, requests } = harness('u41');
    await reply(platform, turn).publish(long);
    expect(requests).toHaveLength(5);
    const [file] = requests.at(-1)?.files ?? [];
    expect(file?.name).toBe('answer.md');
    expect(Buffer.from(file?.content ?? []).toString()).toBe(long);
  });

  test('waits when Discord does not know the deferred response yet', async () => {
    const { platform, turn, sent } = harness('c41', (_, nth) => (nth <= 2 ? dead : undefined));
    await reply(platform, turn).publish('Here.');
    expect(sent()).toEqual(Array.from({ length: 3 }, () => 'PATCH /webhooks/900/TICKET/messages/@original'));
  });

  test.each([10015, 10062, 50027])(
    'is posted by the bot once the token is finally refused (%d)',
    async (code) => {
      const { platform, turn, sent, pass } = harness('c41', ({ byInteractionToken }) =>
        byInteractionToken ? new DiscordApiError(404, code) : undefined,
      );
      pass(60_000);
      await reply(platform, turn).publish(long.slice(0, 3_000));
      expect(sent()).toEqual([
        'PATCH /webhooks/900/TICKET/messages/@original',
        'POST /channels/31/messages',
        'POST /channels/31/messages',
      ]);
    },
  );

  test.each(['p41', 'u41'])(
    'in %s is never posted by the bot: the person gets a direct message without its text',
    async (root) => {
      const { platform, turn, requests, sent, pass } = harness(root);
      pass(1_000_000);
      expect(await reply(platform, turn).publish('Between us.')).toEqual([]);
      expect(sent()).toEqual(['POST /users/@me/channels', 'POST /channels/777/messages']);
      expect(JSON.stringify(requests)).not.toContain('Between us.');
    },
  );

  test('is continued by the bot in the same message when the token expires during the answer', async () => {
    const { platform, turn, sent, pass } = harness('c41');
    const answer = reply(platform, turn);
    answer.write('Slowly, ');
    const [first] = await answer.posted();
    pass(900_000);
    expect(await answer.publish('Slowly, but surely.')).toEqual([first]);
    expect(sent()).toEqual([
      'PATCH /webhooks/900/TICKET/messages/@original',
      `PATCH /channels/31/messages/${first}`,
    ]);
  });

  test('has the language of the sender of the interaction', async () => {
    const { platform, turn, requests, pass } = harness('p41', undefined, undefined, 'de');
    const answer = reply(platform, turn);
    answer.write('Gleich. ');
    await answer.posted();
    expect(JSON.stringify(requests[0]?.body)).toContain('"label":"Stopp"');
    pass(900_000);
    await answer.publish('Zu spät.');
    expect(requests.at(-1)?.body?.['content']).toMatch(/^Meine Antwort hat länger gedauert/u);
  });

  test('to a message, whose author’s locale is unknown, has the language of the guild', async () => {
    const { platform, turn, requests, pass } = harness('41');
    pass(900_000);
    const answer = reply(platform, turn);
    answer.write('Tout de suite. ');
    await answer.posted();
    expect(JSON.stringify(requests.at(-1)?.body)).toContain('"label":"Arrêter"');
  });

  test('that is regenerated with a later token gets messages of its own, since it cannot reach the older ones', async () => {
    const { platform, turn, sent } = harness('p41');
    await platform.reply(turn, [messageId('1'), messageId('2')]).publish('Once more.');
    expect(sent()).toEqual(['PATCH /webhooks/900/TICKET/messages/@original']);
  });

  test('is posted with the token of the last press; the messages of an earlier token are removed', async () => {
    const { platform, turn, sent } = harness('p41');
    expect(await platform.isSuperseded?.(turn, { id: messageId(ID), token: 'TICKET' })).toBe(false);
    expect(sent()).toEqual([]);
    expect(await platform.isSuperseded?.(turn, { id: messageId('1'), token: 'OLD' })).toBe(true);
    expect(sent()).toEqual(['DELETE /webhooks/900/OLD/messages/@original']);
  });

  test('shows the wait time in its place', async () => {
    const { platform, turn, requests } = harness('c41');
    await platform.showStatus(turn, 'is thinking…', 'work');
    await platform.showStatus(turn, '3rd in line, about 4 s');
    expect(requests).toMatchObject([
      { method: 'PATCH', body: { content: '-# Parley 3rd in line, about 4 s' } },
    ]);
  });

  test('shows its question, which nobody else would see, also after the token expired', async () => {
    const question = 'why is `6 * 7`\n42, <@1>?';
    const { platform, turn, requests, pass } = harness('c41');
    const [id] = await platform.reply(turn, [], { question }).publish('Because.');
    expect(requests.at(-1)?.body?.['content']).toMatch(/^> why is \\`6 \\\* 7\\` 42, .*\?\nBecause\.$/u);
    expect(requests.at(-1)?.body?.['content']).not.toContain('<@1>');
    pass(1_000_000);
    await platform.reply(turn, id ? [id] : [], { question }).publish('Still.');
    expect(requests.at(-1)?.body?.['content']).toMatch(/^> why .*\nStill\.$/u);
  });

  test.each(['p41', '41'])(
    'in %s does not show the question: the asker knows it, and a message contains it',
    async (root) => {
      const { platform, turn, requests, pass } = harness(root);
      if (root === '41') pass(1_000_000);
      await platform.reply(turn, [], { question: 'why?' }).publish('Because.');
      expect(requests.at(-1)?.body?.['content']).toBe('Because.');
    },
  );

  test('in an ephemeral note is visible to one person', async () => {
    const { platform, turn, requests } = harness('c41');
    await platform.postEphemeral(turn, userId('42'), 'Not yours.');
    expect(requests).toMatchObject([
      { method: 'POST', byInteractionToken: true, body: { flags: 68, content: 'Not yours.' } },
    ]);
  });
});

describe('without permission to write', () => {
  test.each([
    ['a locked thread', 160005],
    ['an archived and locked thread', 50083],
    ['a channel that the bot cannot see', 50001],
    ['a channel that the bot cannot write in', 50013],
  ])('%s: the answer goes to the asker in a direct message, and nothing is retried', async (_, code) => {
    const refuse: Script = ({ path }) =>
      /^\/channels\/31\b/u.test(path) ? new DiscordApiError(403, code) : undefined;
    const { platform, turn, requests, pass } = harness('c41', refuse);
    pass(1_000_000);
    await expect(reply(platform, turn).publish('Here.')).rejects.toBeInstanceOf(ThreadDeletedError);
    const paths = requests.map(({ method, path }) => `${method} ${path}`);
    expect(paths).toEqual([
      'POST /channels/31/messages',
      'POST /users/@me/channels',
      'GET /channels/777/messages?limit=50',
      'POST /channels/777/messages',
    ]);
    const locked = code === 160005 || code === 50083;
    expect(requests.at(-1)?.body?.['content']).toMatch(
      locked ? /verrouillé.*\nHere\.$/u : /écrire.*\nHere\.$/u,
    );
  });
});

describe('where a token may respond no more', () => {
  test.each([
    ['p41', 50083],
    ['u41', 50001],
  ])('(%s, %d): the person gets a direct message without the text of the answer', async (root, code) => {
    const { platform, turn, requests, sent } = harness(root, ({ byInteractionToken }) =>
      byInteractionToken ? new DiscordApiError(403, code) : undefined,
    );
    expect(await reply(platform, turn).publish('Between us.')).toEqual([]);
    expect(sent().filter((one) => one.includes('/webhooks/'))).toHaveLength(1);
    expect(sent().at(-1)).toBe('POST /channels/777/messages');
    expect(requests.at(-1)?.body?.['content']).toMatch(/^Discord ne me laisse plus répondre/u);
  });
});

test('the lifetime of a token starts at the interaction, whatever time its id contains', () => {
  const body = { id: '12345', type: 2, token: 'T', channel_id: '31', user: { id: '41' } };
  expect(readInteraction(body, START)?.expiresAtMs).toBe(START + 880_000);
});
