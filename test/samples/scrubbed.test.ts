import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { discordFrontHarness, idNow } from '../functions/discord.ts';
import { FORM, front, NOW, SECRET, signed } from '../functions/slack.ts';
import { type DiscordSimulator, startDiscordSimulator } from '../simulators/discord/index.ts';
import { acceptForeignInteraction } from '../simulators/discord/foreign-interactions.ts';
import { type SlackSimulator, startSlackSimulator } from '../simulators/slack/index.ts';
import { everywhere } from './positions.ts';

const shared = join(process.env['PARLEY_SHARED'] ?? '', 'samples');
const slackFolder = join(shared, 'slack', 'bolt-python', 'tests');
const discordFolder = join(shared, 'discord');
const namesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
    : [];
const read = (folder: string, name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const object = v.record(v.string(), v.unknown());
const NAMED = ['2xx', '4xx'];
const kindOf = (status: number): string => `${Math.floor(status / 100)}xx`;
const headerOf = (headers: Readonly<Record<string, string>>) => (name: string) => headers[name.toLowerCase()];

let slack: SlackSimulator;
let discord: DiscordSimulator;
beforeAll(async () => {
  slack = await startSlackSimulator({ signingSecret: SECRET });
  discord = await startDiscordSimulator();
});
afterAll(() => Promise.all([slack.close(), discord.close()]));

/** For who only checks signatures. */
const discordKeys = ({ publicKey }: { publicKey: string }) => ({ publicKey, privateKey: '' });

const wrapped = v.object({ __form_urlencoded: v.string() });

const asForm = (fields: Record<string, string>) => signed(new URLSearchParams(fields).toString(), FORM);

/** A recorded body of Slack's, and how it is written into a request. */
function slackBody(content: unknown): {
  body: unknown;
  written: (body: unknown) => ReturnType<typeof signed>;
} {
  const form = v.parse(v.fallback(v.optional(wrapped), undefined), content);
  if (!form) return { body: content, written: (body) => signed(JSON.stringify(body)) };
  const fields = Object.fromEntries(new URLSearchParams(form.__form_urlencoded));
  const { payload } = fields;
  if (payload !== undefined) {
    return { body: JSON.parse(payload), written: (body) => asForm({ payload: JSON.stringify(body) }) };
  }
  return {
    body: fields,
    written: (body) => {
      const all = Object.entries(v.parse(object, body));
      return asForm(Object.fromEntries(all.map(([name, value]) => [name, String(value)])));
    },
  };
}

const slackNames = namesIn(slackFolder);
(slackNames.length > 0 ? describe : describe.skip)(
  'each recorded body of Slack, with anything in place of anything, signed and posted (skipped unless PARLEY_SHARED names the folder of samples/)',
  () => {
    test.each(slackNames)('%s breaks neither the front nor the simulated Slack', async (name) => {
      const { body, written } = slackBody(read(slackFolder, name));
      const { handle } = front();
      for (const changed of everywhere(body)) {
        const event = written(changed.body);
        const { statusCode } = await handle(event);
        expect([changed.where, NAMED.includes(kindOf(statusCode))]).toEqual([changed.where, true]);
        const bytes = Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
        expect(() => slack.observe(headerOf(event.headers), bytes)).not.toThrow();
      }
      const learned = [...slack.core.state.messages.values()].flatMap((all) => [...all.keys()]);
      for (const ts of learned) expect(ts).toMatch(/^\d{1,12}\.\d{6}$/u);
    });
  },
);

/** What Discord documents, and the same as somebody would call, press or fill in something of ours. */
function discordBodies(name: string): unknown[] {
  const sample = read(discordFolder, name);
  if (!/^0[235]-interaction/.test(name)) return [sample];
  const { member, guild_id: _, ...whole } = v.parse(object, sample);
  const data = v.parse(object, whole['data']);
  const question = [{ type: 3, name: 'question', value: 'Why?' }];
  const { user } = v.parse(object, member);
  const dm = '772908445358620702';
  const direct = { ...whole, user, channel_id: dm, channel: { id: dm, type: 1 }, context: 1 };
  const message = { id: '786008729715212300', content: 'x', channel_id: dm };
  return [
    sample,
    { ...v.parse(object, sample), data: { ...data, name: 'ask', options: question } },
    { ...v.parse(object, sample), data: { ...data, name: 'Ask about this' } },
    { ...direct, data: { ...data, name: 'ask', options: question } },
    { ...direct, type: 3, message, data: { custom_id: 'settings.set|footer', component_type: 2 } },
    { ...direct, type: 3, message, data: { custom_id: 'dm-action', component_type: 2 } },
  ];
}

const discordNames = namesIn(discordFolder);
(discordNames.length > 0 ? describe : describe.skip)(
  'each documented body of Discord, with anything in place of anything, signed and posted',
  () => {
    test.each(discordNames)('%s breaks neither the front nor the simulated Discord', async (name) => {
      const harness = discordFrontHarness();
      let nth = 0;
      for (const body of discordBodies(name)) {
        for (const changed of everywhere(body)) {
          // Of an interaction that it knows the simulator learns nothing.
          const fresh = 'token' in Object(changed.body) && !changed.where.startsWith('id =');
          const posted = fresh ? { ...v.parse(object, changed.body), id: idNow((nth += 1)) } : changed.body;
          const text = JSON.stringify(posted);
          const headers = harness.headers(text, NOW / 1_000);
          const { statusCode } = await harness.sendRaw(text, headers);
          expect([changed.where, NAMED.includes(kindOf(statusCode))]).toEqual([changed.where, true]);
          const look = () =>
            acceptForeignInteraction(
              discord.core.context,
              discordKeys(harness),
              headerOf(headers),
              Buffer.from(text),
            );
          expect(look).not.toThrow();
        }
      }
    });
  },
);
