import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA, GENERAL, LOUNGE } from '../simulators/discord/index.ts';
import { type DiscordWorld, startDiscordWorld } from './discord-world.ts';

const MINUTES = 60_000;
const EDIT = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';
/** An answer that takes some seconds, so that its first words are seen long before its last. */
const SLOWLY = '[[sim:slow=250]] [[sim:tokens=16]]';
let world: DiscordWorld;

beforeAll(async () => {
  world = await startDiscordWorld();
}, 240_000);
afterEach(() => world.setAhead(0));
afterAll(() => world.close());

/** Somebody asks by a command; the first words of the answer are seen, then its ticket dies. */
async function dying(channel: string | undefined, options: { readonly private?: boolean } = {}) {
  const before = world.seen(ADA, channel).length;
  const question = `Tell me. ${SLOWLY}`;
  await world.discord().slash('ada', channel, 'ask', { question, ...options });
  const first = await world.discord().core.until(() =>
    world
      .seen(ADA, channel)
      .slice(before)
      .find(({ one }) => JSON.stringify(one).includes('press.stop')),
  );
  world.setAhead(16 * MINUTES);
  return first;
}

const told = (since: number) =>
  world.discord().core.until(() => world.seen(ADA, world.discord().core.dm('ada'))[since]);

/** Asks by a command, and says how the answer reads. */
async function ask(sum: string): Promise<string> {
  const before = (await world.answers(ADA, 0)).length;
  await world.discord().slash('ada', undefined, 'ask', { question: `What is ${sum}?` });
  return (await world.answers(ADA, before + 1)).at(-1)?.text ?? '';
}

describe('Discord says', () => {
  test('that it does not know yet what it was just told to wait for: it is asked again', async () => {
    world.fault({ kind: 'refuse', code: 10_015, route: EDIT, times: 2 });
    expect(await ask('2 + 3')).toContain('5');
  });

  test.each([10_062, 50_027])(
    '%d, which is final: it is not asked again, and the bot answers',
    async (code) => {
      const from = world.discord().calls.length;
      world.fault({ kind: 'refuse', code, route: EDIT });
      expect(await ask('3 + 3')).toContain('6');
      const calls = world.discord().calls.slice(from);
      const refused = calls.findIndex(({ outcome }) => outcome === 'refuse');
      expect(calls.slice(refused + 1).filter(({ route }) => route.includes('webhook'))).toEqual([]);
    },
  );

  test('by a page of Cloudflare’s that this is too much: nothing is asked before its time', async () => {
    const from = world.discord().calls.length;
    world.fault({ kind: 'cloudflare', route: EDIT, retryAfter: 2 });
    expect(await ask('4 + 3')).toContain('7');
    const calls = world.discord().calls.slice(from);
    const refused = calls.findIndex(({ outcome }) => outcome === 'cloudflare');
    const [page, next] = calls.slice(refused);
    expect((next?.at ?? 0) - (page?.at ?? 0)).toBeGreaterThan(1_900);
  });

  test('that a limit is reached: the answer comes when it says', async () => {
    world.fault({ kind: 'busy', route: EDIT, retryAfter: 1 });
    expect(await ask('4 + 4')).toContain('8');
  });
});

describe('the fifteen minutes of a call are over in the middle of its answer', () => {
  test('the bot goes on in the same message, and finishes it', async () => {
    const first = await dying(undefined);
    const done = (await world.answers(ADA, 6)).at(-1);
    expect(done?.id).toBe(first.id);
    expect(done?.text.length).toBeGreaterThan(first.text.length);
    expect(done?.text).toMatch(/^> Tell me\./u);
  });

  test('an app of one’s own cannot: the person is told in a chat of their own', async () => {
    const asked = world.discord().calls.length;
    await dying(LOUNGE);
    expect((await told(0)).text).toMatch(/took longer .* ask me once more/u);
    const after = world.discord().calls.slice(asked);
    expect(
      after.filter(({ route }) => route.startsWith('POST /channels/{channel_id}/messages')),
    ).toHaveLength(1);
  });

  test('what is private is posted nowhere, and asked of the dead ticket once', async () => {
    const asked = world.discord().calls.length;
    const first = await dying(undefined, { private: true });
    expect((await told(1)).text).not.toContain(first.text.slice(0, 20));
    const after = world.discord().calls.slice(asked);
    expect(after.filter(({ code }) => code === 50_027)).toHaveLength(1);
    const posted = after.filter(({ path }) => path.includes(`/channels/${GENERAL}/messages`));
    expect(posted).toEqual([]);
  });
});
