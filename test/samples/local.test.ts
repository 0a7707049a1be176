import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createPrivateKey, sign as signatureOf } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import {
  answersIn,
  dataFolder,
  type JourneyHarness,
  startJourneyHarness,
  queuesAreEmpty,
} from '../journeys/harness.ts';
import { sign } from '../simulators/slack/index.ts';
import { everywhere } from './positions.ts';

const shared = join(process.env['PARLEY_SHARED'] ?? '', 'samples');
const bodiesIn = (folder: string): [string, unknown][] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.json'))
        .map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8'))])
    : [];
const ofSlack = bodiesIn(join(shared, 'slack', 'bolt-python', 'tests'));
const ofDiscord = bodiesIn(join(shared, 'discord'));
const wrapped = v.object({ __form_urlencoded: v.string() });
/** In place of every id in turn. */
const SCRUBBED = ['DM_CHANNEL_123'];
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

type Request = { readonly where: string; readonly body: string; readonly type: string };

/** A recorded body as it is, and with another id in each place. */
function slackRequests([name, content]: [string, unknown]): Request[] {
  const form = v.parse(v.fallback(v.optional(wrapped), undefined), content)?.__form_urlencoded;
  const payload = form === undefined ? undefined : new URLSearchParams(form).get('payload');
  const asIs = { where: name, body: form ?? JSON.stringify(content), type: form ? FORM_TYPE : JSON_TYPE };
  if (form !== undefined && payload === null) return [asIs];
  const changed = [...everywhere(payload ? JSON.parse(payload) : content, SCRUBBED)];
  return [
    asIs,
    ...changed.map(({ where, body }) => {
      const text = JSON.stringify(body);
      return {
        where: `${name}: ${where}`,
        body: payload ? new URLSearchParams({ payload: text }).toString() : text,
        type: asIs.type,
      };
    }),
  ];
}

function discordRequests([name, content]: [string, unknown]): Request[] {
  const changed = [...everywhere(content, SCRUBBED)];
  const all = [{ where: '', body: content }, ...changed];
  return all.map(({ where, body }) => ({
    where: `${name}: ${where}`,
    body: JSON.stringify(body),
    type: JSON_TYPE,
  }));
}

(ofSlack.length > 0 ? describe : describe.skip)(
  'recorded bodies, posted to the local system (skipped unless PARLEY_SHARED names the folder of samples/)',
  () => {
    const folder = dataFolder();
    let journey: JourneyHarness;
    beforeAll(async () => {
      journey = await startJourneyHarness(folder.path);
    });
    afterAll(async () => {
      await journey.system.close();
      folder.remove();
    });

    /** Posts them, signed, and gives those that were answered by a status of 500 or more. */
    async function failed(
      path: string,
      requests: readonly Request[],
      headersOf: (body: string, seconds: number) => Record<string, string>,
    ): Promise<string[]> {
      const findings: string[] = [];
      for (const { where, body, type } of requests) {
        const headers = { 'content-type': type, ...headersOf(body, Math.floor(Date.now() / 1_000)) };
        const { status } = await fetch(`${journey.system.local.api}${path}`, {
          method: 'POST',
          headers,
          body,
        });
        if (status >= 500) findings.push(`${status} ${where}`);
      }
      return findings;
    }

    test('of Slack', async () => {
      const requests = ofSlack.flatMap(slackRequests);
      const { signingSecret } = journey.slack;
      const bad = await failed('/slack/events', requests, (body, seconds) => ({
        'x-slack-request-timestamp': String(seconds),
        'x-slack-signature': sign(signingSecret, seconds, body),
      }));
      expect(bad).toEqual([]);
    });

    test('of Discord', async () => {
      const requests = ofDiscord.flatMap(discordRequests);
      const der = Buffer.from(
        `302e020100300506032b657004220420${journey.system.local.discord.privateKey}`,
        'hex',
      );
      const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      const bad = await failed('/discord/interactions', requests, (body, seconds) => ({
        'x-signature-timestamp': String(seconds),
        'x-signature-ed25519': signatureOf(null, Buffer.from(`${seconds}${body}`), key).toString('hex'),
      }));
      expect(bad).toEqual([]);
    });

    test('leave no task that could not be processed, and people are answered', async () => {
      await queuesAreEmpty(journey.system);
      const { resources: inventory, queues } = journey.system.emulator;
      const dead = inventory.queues.filter(({ name }) => name.includes('Dead'));
      expect(dead.map(({ name }) => queues.counts(name).visible)).toEqual([0]);
      const thread = await journey.slack.say('ada', '@parley What is 20 + 3?');
      const [answer] = await answersIn(journey.slack, thread);
      expect(JSON.stringify([answer?.text, answer?.blocks])).toContain('23');
    });
  },
);
