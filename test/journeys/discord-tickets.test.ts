import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA, GENERAL, GRACE, LIN, LOUNGE } from '../simulators/discord/index.ts';
import { type DiscordWorld, type Shown, startDiscordWorld } from './discord-world.ts';

const MINUTES = 60_000;
const EDIT = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';
/** An answer that is edited once before its last words. */
const SLOWLY = '[[sim:slow=250]] [[sim:tokens=10]]';
let world: DiscordWorld;

beforeAll(async () => {
  world = await startDiscordWorld();
}, 240_000);
afterAll(() => world.close());

/** Somebody asks by a command: the first words of the answer. */
async function begun(as: string, channel: string | undefined, options: { readonly private?: boolean } = {}) {
  const before = world.seen(as, channel).length;
  await world.discord().slash(as, channel, 'ask', { question: `Tell me. ${SLOWLY}`, ...options });
  return await world.discord().core.until(() =>
    world
      .seen(as, channel)
      .slice(before)
      .find(({ one }) => JSON.stringify(one).includes('press.stop')),
  );
}

/** What the person is told in a chat with the bot alone. */
const told = (as: string) =>
  world.discord().core.until(() => world.seen(as, world.discord().core.dm(as)).at(0));

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
    world.fault({ kind: 'cloudflare', route: EDIT, retryAfter: 1 });
    expect(await ask('4 + 3')).toContain('7');
    const calls = world.discord().calls.slice(from);
    const refused = calls.findIndex(({ outcome }) => outcome === 'cloudflare');
    const [page, next] = calls.slice(refused);
    expect((next?.at ?? 0) - (page?.at ?? 0)).toBeGreaterThan(900);
  });

  test('that a limit is reached: the answer comes when it says', async () => {
    world.fault({ kind: 'busy', route: EDIT, retryAfter: 1 });
    expect(await ask('4 + 4')).toContain('8');
  });
});

describe('the fifteen minutes of a call are over in the middle of its answer', () => {
  let open: Shown;
  let secret: Shown;
  let asked = 0;
  beforeAll(async () => {
    asked = world.discord().calls.length;
    [open, , secret] = await Promise.all([
      begun(ADA, undefined),
      begun(GRACE, LOUNGE),
      begun(LIN, undefined, { private: true }),
    ]);
    world.setAhead(16 * MINUTES);
  });
  const after = () => world.discord().calls.slice(asked);

  test('the bot goes on in the same message, and finishes it', async () => {
    const done = (await world.answers(ADA, 6)).at(-1);
    expect(done?.id).toBe(open.id);
    expect(done?.text.length).toBeGreaterThan(open.text.length);
    expect(done?.text).toMatch(/^> Tell me\./u);
  });

  test('an app of one’s own cannot: the person is told in a chat of their own', async () => {
    expect((await told(GRACE)).text).toMatch(/took longer .* ask me once more/u);
    const there = after().filter(({ path }) => path.includes(`/channels/${LOUNGE}/messages`));
    expect(there).toEqual([]);
  });

  test('what is private is posted nowhere; each dead ticket is asked once', async () => {
    expect((await told(LIN)).text).not.toContain(secret.text.slice(0, 20));
    expect(after().filter(({ code }) => code === 50_027)).toHaveLength(3);
    const posted = after().filter(({ path }) => path.includes(`/channels/${GENERAL}/messages`));
    // What the bot finished is the open answer, in its own message.
    expect(posted.every(({ path }) => path.endsWith(open.id))).toBe(true);
  });
});
