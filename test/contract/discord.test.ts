import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFER, ORIGINAL, start, stopAll } from '../simulators/discord/app-harness.ts';
import { GENERAL } from '../simulators/discord/identity.ts';
import type { RecordedExchange } from '../simulators/recorder.ts';
import { checkDiscord } from './discord.ts';

const shared = process.env['PARLEY_SHARED'];
const there = shared !== undefined && existsSync(join(shared, 'specs', 'discord-openapi.json'));
const samples = join(shared ?? '', 'samples', 'discord');
const names = existsSync(samples) ? readdirSync(samples) : [];
const sample = (number: string): unknown =>
  JSON.parse(readFileSync(join(samples, names.find((name) => name.startsWith(number)) ?? ''), 'utf8'));

const CREATE = 'POST /channels/{channel_id}/messages';
const call = (operation: string, rest: Partial<RecordedExchange>): RecordedExchange => ({
  platform: 'discord',
  kind: 'call',
  operation,
  request: undefined,
  ...rest,
});
const check = (...exchanges: RecordedExchange[]) => checkDiscord(exchanges, shared);

test('without Discord’s document nothing can be checked', () => {
  expect(checkDiscord([], undefined)).toBeUndefined();
  expect(checkDiscord([], '/nowhere')).toBeUndefined();
});

(there ? describe : describe.skip)(
  'what is exchanged with Discord (skipped unless PARLEY_SHARED names the folder of specs/)',
  () => {
    test.each(['14', '15', '16', '17', '18', '27'])(
      'message %s of Discord’s documentation conforms',
      (number) => {
        const whole = check(call(CREATE, { request: sample(number), status: 200 }));
        expect(whole).toEqual({ requests: 1, responses: 0, unknown: [], deviations: [] });
      },
    );

    test.each(['01', '04', '07'])('command %s of Discord’s documentation conforms', (number) => {
      const operation = 'POST /applications/{application_id}/commands';
      expect(check(call(operation, { request: sample(number), status: 201 }))?.deviations).toEqual([]);
    });

    test('a field of a wrong type is reported, in requests and in responses', () => {
      const request = { content: 'x', components: [{ type: 10, content: 5 }] };
      const response = { url: 'wss://gateway.discord.gg', shards: 'two' };
      const contract = check(
        call(CREATE, { request, status: 200 }),
        call('GET /gateway/bot', { response, status: 200 }),
      );
      expect(contract).toMatchObject({ requests: 1, responses: 1 });
      expect(contract?.deviations.map(({ direction, operation, at }) => [direction, operation, at])).toEqual([
        ['request', CREATE, '#/components/0/content'],
        ['response', 'GET /gateway/bot', '#'],
        ['response', 'GET /gateway/bot', '#/shards'],
      ]);
    });

    test('rejected requests, requests without a response, and other platforms are ignored', () => {
      const request = { content: 5 };
      const left = [
        call(CREATE, { request, status: 400, response: { code: 50035, message: 'Invalid Form Body' } }),
        call(CREATE, { request }),
        { ...call('chat.postMessage', { request, status: 200 }), platform: 'slack' } as const,
      ];
      expect(check(...left)).toEqual({ requests: 0, responses: 1, unknown: [], deviations: [] });
    });

    test('what the document does not describe is reported', () => {
      const { unknown } = check(call('PUT /nowhere', { request: {}, status: 200 })) ?? {};
      expect(unknown).toEqual(['request PUT /nowhere 200']);
    });

    describe('the simulator records', () => {
      const recorded: RecordedExchange[] = [];
      beforeEach(() => void recorded.splice(0));
      afterEach(stopAll);

      test('requests and responses, including the bodies of HTTP responses', async () => {
        const { simulator, call: byToken } = await start(() => DEFER, {
          record: (exchange) => void recorded.push(exchange),
        });
        await simulator.slash('ada', GENERAL, 'ask', { question: 'why?' });
        await byToken('PATCH', ORIGINAL, { components: [{ type: 10, content: 'Because.' }], flags: 1 << 15 });
        await byToken('GET', ORIGINAL);
        expect(recorded.map(({ operation, status }) => [operation, status])).toEqual([
          ['PUT /applications/{application_id}/commands', 200],
          ['POST /interactions/{interaction_id}/{interaction_token}/callback', 204],
          ['PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original', 200],
          ['GET /webhooks/{webhook_id}/{webhook_token}/messages/@original', 200],
        ]);
        expect(check(...recorded)).toEqual({ requests: 3, responses: 3, unknown: [], deviations: [] });
      });
    });
  },
);
