import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA, DEFAULT_IDENTITY, GENERAL, GRACE, LIN, LOUNGE } from '../simulators/discord/index.ts';
import { type DiscordHarness, type VisibleMessage, startDiscordHarness } from './discord-harness.ts';

const MINUTES = 60_000;
const EDIT = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';
/** An answer that is edited once before its end. */
const SLOWLY = '[[sim:slow=250]] [[sim:tokens=10]]';
/** A chat between people, in which one of them uses the bot. */
const GROUP = { id: '301000000000000091', type: 3, name: '', recipients: [ADA, GRACE] };
let harness: DiscordHarness;

beforeAll(async () => {
  const channels = [...DEFAULT_IDENTITY.channels, GROUP];
  harness = await startDiscordHarness({ discord: { identity: { channels } } });
});
afterAll(() => harness.close());

/** Asks by a command; resolves with the first text of the answer. */
async function startInteraction(
  as: string,
  channel: string | undefined,
  options: { readonly private?: boolean } = {},
) {
  const before = harness.visibleMessages(as, channel).length;
  await harness.discord().slash(as, channel, 'ask', { question: `Tell me. ${SLOWLY}`, ...options });
  return await harness.discord().core.until(() =>
    harness
      .visibleMessages(as, channel)
      .slice(before)
      .find(({ one }) => JSON.stringify(one).includes('press.stop')),
  );
}

/** The direct messages of the bot to the person. */
const noticeFor = (as: string) =>
  harness.discord().core.until(() => harness.visibleMessages(as, harness.discord().core.dm(as)).at(0));

/** Asks by a command, and resolves with the answer. */
async function ask(sum: string): Promise<string> {
  const before = (await harness.answers(ADA, 0)).length;
  await harness.discord().slash('ada', undefined, 'ask', { question: `What is ${sum}?` });
  return (await harness.answers(ADA, before + 1)).at(-1)?.text ?? '';
}

describe('an answer is completed when Discord responds', () => {
  test('with 10015 because it does not know the deferred response yet: the request is repeated', async () => {
    harness.fault({ kind: 'refuse', code: 10_015, route: EDIT, times: 2 });
    expect(await ask('2 + 3')).toContain('5');
  });

  test.each([10_062, 50_027])(
    '%d, which is final: it is not asked again, and the bot answers',
    async (code) => {
      const from = harness.discord().calls.length;
      harness.fault({ kind: 'refuse', code, route: EDIT });
      expect(await ask('3 + 3')).toContain('6');
      const calls = harness.discord().calls.slice(from);
      const refusalIndex = calls.findIndex(({ outcome }) => outcome === 'refuse');
      expect(calls.slice(refusalIndex + 1).filter(({ route }) => route.includes('webhook'))).toEqual([]);
    },
  );

  test('with a rate limit page of Cloudflare: no request is sent before the retry time', async () => {
    const from = harness.discord().calls.length;
    harness.fault({ kind: 'cloudflare', route: EDIT, retryAfter: 1 });
    expect(await ask('4 + 3')).toContain('7');
    const calls = harness.discord().calls.slice(from);
    const blockIndex = calls.findIndex(({ outcome }) => outcome === 'cloudflare');
    const [page, next] = calls.slice(blockIndex);
    expect((next?.at ?? 0) - (page?.at ?? 0)).toBeGreaterThan(900);
  });

  test('with a rate limit: the answer comes after retry-after', async () => {
    harness.fault({ kind: 'busy', route: EDIT, retryAfter: 1 });
    expect(await ask('4 + 4')).toContain('8');
  });
});

test('in a chat between people everything is answered with the token, and what the bot cannot do there says so', async () => {
  const discord = harness.discord();
  const from = discord.calls.length;
  const run = async (name: string, options = {}) => {
    const before = harness.visibleMessages(ADA, GROUP.id).length;
    await discord.slash('ada', GROUP.id, name, options);
    return discord.core.until(() => {
      const answer = JSON.stringify(harness.visibleMessages(ADA, GROUP.id)[before]?.one ?? '');
      return /press\.regenerate|"type":17/u.test(answer) ? answer : undefined;
    });
  };
  expect(await run('ask', { question: 'What is 8 + 3?' })).toContain('11');
  expect(await run('summarise')).toContain('cannot read');
  const schedule = { what: 'news', days: 'every-day', at: '9:00' };
  expect(await run('schedule', schedule)).toContain('only in a server that I was added to');
  expect(await run('imagine', { prompt: 'a cat' })).toContain('I cannot write here');
  expect(await run('settings', {})).toContain('settings');
  const asBot = discord.calls.slice(from).filter(({ route }) => route.includes('/channels/'));
  expect(asBot.filter(({ outcome }) => outcome !== 403 && Number(outcome) >= 400)).toEqual([]);
  expect(asBot.filter(({ route, outcome }) => route.startsWith('POST') && outcome === 200)).toEqual([]);
});

/** A thread in which the first words of an answer are shown. */
async function threadWithAnswer() {
  const { core } = harness.discord();
  const thread = core.thread('ada', core.say('ada', 'What shall we do?'), 'Plans');
  const { id } = await startInteraction(ADA, thread);
  return { core, thread, id };
}

describe('a thread is closed while a command in it is answered', () => {
  test('an archived one is opened again, and the answer is completed', async () => {
    const { core, thread, id } = await threadWithAnswer();
    core.close(thread, { archived: true });
    expect((await harness.answers(ADA, 1, thread)).map((one) => one.id)).toEqual([id]);
    expect(core.state.channels.get(thread)?.archived).toBe(false);
  });

  test('a locked one: the answer goes to the asker in a direct message', async () => {
    const { core, thread } = await threadWithAnswer();
    core.close(thread, { archived: true, locked: true });
    const { text } = await harness.once(ADA, /Here is my answer/u, core.dm('ada'));
    expect(text).toContain(`<#${thread}> is locked`);
    expect(core.state.channels.get(thread)).toMatchObject({ archived: true, locked: true });
  });
});

describe('the interaction token expires while the answer is written', () => {
  let open: VisibleMessage;
  let secret: VisibleMessage;
  let requestCount = 0;
  beforeAll(async () => {
    requestCount = harness.discord().calls.length;
    [open, , secret] = await Promise.all([
      startInteraction(ADA, undefined),
      startInteraction(GRACE, LOUNGE),
      startInteraction(LIN, undefined, { private: true }),
    ]);
    harness.setAhead(16 * MINUTES);
  });
  const after = () => harness.discord().calls.slice(requestCount);

  test('the bot continues in the same message, and completes it', async () => {
    const done = (await harness.answers(ADA, 6)).at(-1);
    expect(done?.id).toBe(open.id);
    expect(done?.text.length).toBeGreaterThan(open.text.length);
    expect(done?.text).toMatch(/^> Tell me\./u);
  });

  test('a user-installed app cannot continue, and sends the person a direct message', async () => {
    expect((await noticeFor(GRACE)).text).toMatch(/took longer .* ask me again/u);
    const there = after().filter(({ path }) => path.includes(`/channels/${LOUNGE}/messages`));
    expect(there).toEqual([]);
  });

  test('an ephemeral answer is posted nowhere else, and each expired token is tried once', async () => {
    expect((await noticeFor(LIN)).text).not.toContain(secret.text.slice(0, 20));
    expect(after().filter(({ code }) => code === 50_027)).toHaveLength(3);
    const posted = after().filter(({ path }) => path.includes(`/channels/${GENERAL}/messages`));
    // The bot completed the open answer in its own message.
    expect(posted.every(({ path }) => path.endsWith(open.id))).toBe(true);
  });
});
