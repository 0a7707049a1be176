import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DiscordRateLimitError, DiscordApiError } from '../../shared/platforms/discord/api/call.ts';
import { restReads } from '../../shared/platforms/discord/gateway/rest.ts';
import { createRestCall } from '../../shared/platforms/discord/api/rest-client.ts';

const folder = join(process.env['PARLEY_SHARED'] ?? '', 'samples', 'discord');
const names = existsSync(folder) ? readdirSync(folder) : [];
const sample = (start: string): string =>
  readFileSync(join(folder, names.find((name) => name.startsWith(start)) ?? ''), 'utf8');

const JSON_TYPE = { 'content-type': 'application/json' };

type Served = { readonly status: number; readonly headers: Record<string, string>; readonly body: string };

/** An HTTP answer as the documents show it, its headers behind `<`. */
function httpAnswer(text: string): Served {
  const lines = text.split('\n');
  const replies = lines.filter((line) => line.startsWith('< ')).map((line) => line.slice(2));
  const [start = '', ...fields] = replies;
  const headers = fields.map((field): [string, string] => {
    const at = field.indexOf(': ');
    return [field.slice(0, at), field.slice(at + 2)];
  });
  const body = lines.filter((line) => !line.startsWith('< ')).join('\n');
  return { status: Number(start.split(' ')[1]), headers: Object.fromEntries(headers), body };
}

(names.length > 0 ? describe : describe.skip)(
  'what Discord answers in its documents (skipped unless PARLEY_SHARED names the folder of samples/)',
  () => {
    let served: Served = { status: 204, headers: {}, body: '' };
    const server = createServer((_, response) => {
      response.writeHead(served.status, served.headers).end(served.body);
    });
    let apiUrl = '';
    beforeAll(async () => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      apiUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/api`;
    });
    afterAll(() => {
      server.close();
      server.closeAllConnections();
    });

    const calling = () =>
      createRestCall({ apiUrl, applicationId: '9', token: async () => 't', now: () => 0, random: () => 0 });
    const PATCH = { method: 'PATCH', path: '/channels/1/messages/2' } as const;

    test.each(['30', '31', '32'])('%s is a refusal, told by its code', async (start) => {
      served = { status: 400, headers: JSON_TYPE, body: sample(start) };
      await expect(calling()(PATCH)).rejects.toEqual(new DiscordApiError(400, 50035));
    });

    test.each([
      ['37', 65_050, {}],
      ['38', 1_337_050, {}],
      // A global limit holds back all that carries the bot token.
      ['39', 65_050, expect.any(DiscordRateLimitError)],
    ])('%s asks to wait %i ms', async (start, own, other) => {
      served = httpAnswer(sample(start));
      const call = calling();
      await expect(call(PATCH)).rejects.toEqual(new DiscordRateLimitError(own));
      served = { status: 200, headers: JSON_TYPE, body: '{}' };
      const next: unknown = await call({ method: 'GET', path: '/channels/3' }).catch(
        (error: unknown) => error,
      );
      expect(next).toEqual(other);
    });

    test('33 tells the relay how many shards to run', async () => {
      served = { status: 200, headers: JSON_TYPE, body: sample('33') };
      expect(await restReads(apiUrl, 't').gateway()).toEqual({
        shards: 9,
        remaining: 999,
        resetAfterMs: 14_400_000,
        maxConcurrency: 1,
      });
    });
  },
);
