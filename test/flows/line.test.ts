import { expect, test } from '@jest/globals';
import { CHAT_LIMIT } from '../../shared/limits/index.ts';
import { DEFAULTS } from '../../shared/flows/index.ts';
import { askedBy, inLine, waitForSlot } from '../../shared/flows/slot.ts';
import { Buckets, KeySlots, Places } from '../../shared/store/index.ts';
import { channelId, workspaceId } from '../../shared/conversation/index.ts';
import { type Locale, LOCALES, type Saying, say } from '../../shared/texts/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { Clockwork } from '../limits/clockwork.ts';

const T0 = Date.parse('2026-11-21T13:00:00Z');
const spoken = (saying: Saying, locale: Locale = 'en'): string => say(locale, ...saying);

/** A key's line in simulated time: each of so many people asks at once. Resolves with what each was told, and served when. */
async function line(people: number, before?: (slots: KeySlots) => Promise<void>) {
  const clock = new Clockwork(T0);
  const dynamo = createMemoryDynamo();
  const now = () => Math.floor(clock.now);
  const slots = new KeySlots({
    buckets: new Buckets(dynamo, 'tokens', now),
    places: new Places(dynamo, 'tokens', now),
    family: 'chat',
    limit: CHAT_LIMIT,
    keys: () => Promise.resolve(['key']),
    now,
  });
  await before?.(slots);
  const time = { now, sleep: (ms: number) => clock.sleep(ms) };
  const settings = { ...DEFAULTS, zone: 'Europe/Berlin' };
  const told = new Map<string, string[]>();
  const served: { who: string; atMs: number }[] = [];
  const failed: string[] = [];
  for (let n = 0; n < people; n += 1) {
    const who = `U${n}`;
    const words: string[] = [];
    told.set(who, words);
    const place = { platform: 'slack', workspace: workspaceId('T1'), channel: channelId(`C${n}`) } as const;
    void waitForSlot({
      thinking: { say: (saying) => void words.push(spoken(saying)) },
      signal: new AbortController().signal,
      delivery: { deadline: T0 + 900_000, again: false, last: false },
      ask: askedBy(place, who),
      deps: { slots, time, settings },
    }).then(
      () => void served.push({ who, atMs: clock.now - T0 }),
      (error: unknown) => void failed.push(error instanceof Error ? error.name : who),
    );
  }
  await clock.run(() => served.length + failed.length === people);
  return { told, served, failed };
}

test('who waits is told the place in line and for how long, anew every five seconds, until it is over', async () => {
  const { told, served, failed } = await line(60);
  expect(failed).toEqual([]);
  expect(served).toHaveLength(60);
  const last = served.at(-1);
  const words = told.get(last?.who ?? '') ?? [];
  const places = words.flatMap((word) => Number(/place (\d+)/u.exec(word)?.[1] ?? []));
  expect(words[0]).toMatch(/^is waiting in line: place 3\d, about 1\d s$/u);
  // Each time fewer are before, and the last word is that it goes on.
  expect(places.length).toBeGreaterThanOrEqual(3);
  expect(places).toEqual(places.toSorted((a, b) => b - a));
  expect(words.at(-1)).toBe('is thinking…');
  // Whoever comes at once hears nothing of a line.
  expect(told.get(served[0]?.who ?? '')).toEqual([]);
});

test('a wait that the upstream asks for is told by the clock of the zone, in every language', async () => {
  const { told, failed } = await line(1, async (slots) => {
    const first = await slots.take({ priority: 'person', maxWaitMs: 0 });
    if (!first.granted) throw new Error('no slot');
    await slots.heard(first.slot, { status: 429, retryAfterMs: 3_900_000, sentMs: T0 });
  });
  // Too long for one delivery: it goes back to the queue, and the flow says until when.
  expect(failed).toEqual(['NoSlot']);
  expect([...told.values()]).toEqual([[]]);
  const saying = inLine(3_900_000, { now: T0, zone: 'Europe/Berlin' });
  for (const locale of LOCALES) expect(spoken(saying, locale)).toContain('15:05 (Europe/Berlin)');
});
