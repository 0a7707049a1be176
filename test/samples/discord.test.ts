import * as v from 'valibot';
import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createDiscordEventHandler } from '../../functions/composition/discord/webhook-events.ts';
import { rawChannel, rawMessage } from '../../shared/platforms/discord/gateway/events/payload-schemas.ts';
import { getDiscordText } from '../../shared/i18n/discord/index.ts';
import { discordFrontHarness, NOW_S } from '../functions/discord.ts';

const quiet = (): void => undefined;

const folder = join(process.env['PARLEY_SHARED'] ?? '', 'samples', 'discord');
const there = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
const object = v.record(v.string(), v.unknown());
const sample = (start: string): Record<string, unknown> => {
  const name = there.find((one) => one.startsWith(start)) ?? '';
  return v.parse(object, JSON.parse(readFileSync(join(folder, name), 'utf8')));
};
/** The sample, its `data` changed. */
const withData = (start: string, changes: object): Record<string, unknown> => {
  const whole = sample(start);
  return { ...whole, data: { ...v.parse(object, whole['data']), ...changes } };
};
const UNKNOWN = { type: 4, data: { content: getDiscordText('unknown', 'en-US'), flags: 64 } };

const REFUSED = 400;
const PONG = '200 {"type":1}';
const SAID_UNKNOWN = `200 ${JSON.stringify({
  ...UNKNOWN,
  data: { ...UNKNOWN.data, allowed_mentions: { parse: [], replied_user: false } },
})}`;

/** What comes of each sample as an interaction. The type 1 is that of a PING, whatever else there is. */
const OUTCOMES: Readonly<Record<string, number | string>> = {
  '01': PONG,
  '02': SAID_UNKNOWN,
  '03': SAID_UNKNOWN,
  '04': REFUSED,
  '05': SAID_UNKNOWN,
  '06': REFUSED,
  '07': PONG,
  '08': PONG,
  '14': REFUSED,
  '15': REFUSED,
  '16': REFUSED,
  '17': REFUSED,
  '18': REFUSED,
  '23': REFUSED,
  '24': REFUSED,
  '25': REFUSED,
  '26': REFUSED,
  '27': REFUSED,
  '28': REFUSED,
  '29': PONG,
  '30': REFUSED,
  '31': REFUSED,
  '32': REFUSED,
  '33': REFUSED,
  '34': REFUSED,
  '35': PONG,
  '36': PONG,
};
/** The samples of events that tell of installs. */
const INSTALLS: Readonly<Record<string, string>> = {
  '35': 'APPLICATION_AUTHORIZED',
  '36': 'APPLICATION_DEAUTHORIZED',
};

(there.length > 0 ? describe : describe.skip)(
  'what Discord shows in its documents, signed and posted',
  () => {
    test.each([
      ['02', 'a slash command'],
      ['03', 'a command of a person’s menu'],
      ['05', 'a command of a message’s menu'],
    ])('%s, %s that is not ours, is said to be unknown', async (start) => {
      const harness = discordFrontHarness();
      expect(await harness.send(sample(start))).toMatchObject({ status: 200, body: UNKNOWN });
      expect(harness.tasks).toEqual([]);
    });

    test('02 and 05 under names of ours are taken in', async () => {
      const harness = discordFrontHarness();
      const command = { name: 'ask', options: [{ type: 3, name: 'question', value: 'The Gitrog Monster?' }] };
      expect(await harness.send(withData('02', command))).toEqual({ status: 200, body: { type: 5 } });
      expect(harness.tasks).toMatchObject([
        { kind: 'ask', question: 'The Gitrog Monster?', asker: '53908232506183680' },
      ]);
      const about = await harness.send(withData('05', { name: 'Ask about this' }));
      expect(about).toMatchObject({ status: 200, body: { type: 9 } });
      expect([...harness.notes.values()]).toMatchObject([{ text: 'some message' }]);
    });

    test('06 is answered by suggestions, once it has what the sample leaves out', async () => {
      const harness = discordFrontHarness();
      expect((await harness.send(sample('06'))).status).toBe(400);
      const { data: _, ...envelope } = sample('02');
      const options = [{ type: 3, name: 'model', value: 'MAKER', focused: true }];
      const typed = { ...envelope, ...withData('06', { name: 'ask', options }) };
      expect((await harness.send(typed)).body).toEqual({
        type: 8,
        data: { choices: [{ name: 'maker/other', value: 'maker/other' }] },
      });
    });

    test('are all in the table', () => {
      expect(there.map((name) => name.slice(0, 2)).toSorted()).toEqual(Object.keys(OUTCOMES).toSorted());
    });

    test.each(there)('%s as an interaction is answered as designed, and asks for nothing', async (name) => {
      const harness = discordFrontHarness();
      const { status, body } = await harness.send(sample(name.slice(0, 2)));
      const outcome = body === undefined ? status : `${status} ${JSON.stringify(body)}`;
      expect(outcome).toBe(OUTCOMES[name.slice(0, 2)]);
      expect([...harness.tasks, ...harness.wrote]).toEqual([]);
    });

    test.each(there)(
      '%s as an event is taken, and noted only if it is an event of installs',
      async (name) => {
        const harness = discordFrontHarness();
        const noted: unknown[] = [];
        const sendEvent = createDiscordEventHandler({
          publicKey: harness.publicKey,
          queue: { send: async () => void harness.wrote.push('sent') },
          now: () => NOW_S * 1000,
          log: {
            debug: quiet,
            info: (event, fields) => void noted.push(event, fields),
            warn: quiet,
            error: quiet,
          },
        });
        const body = JSON.stringify(sample(name.slice(0, 2)));
        const answer = await sendEvent({ headers: harness.headers(body, NOW_S), body });
        expect(answer).toEqual({ statusCode: 204, body: '' });
        const kind = INSTALLS[name.slice(0, 2)];
        // Their persons are left out in the documents, so nobody is to be forgotten.
        expect(noted).toEqual(
          kind === undefined ? [] : ['discord.authorization-changed', { kind, user: undefined }],
        );
        expect([...harness.tasks, ...harness.wrote]).toEqual([]);
      },
    );

    test.each(['23', '24'])('%s is a message as the relay reads it', (start) => {
      expect(v.parse(rawMessage, sample(start))).toMatchObject({
        author: { username: 'Mason' },
        mentions: [],
      });
    });

    test.each([
      ['28', 11],
      ['29', 1],
    ])('%s is a channel as the relay reads it', (start, type) => {
      expect(v.parse(rawChannel, sample(start)).type).toBe(type);
    });
  },
);
