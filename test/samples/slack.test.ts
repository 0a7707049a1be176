import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { parseTask } from '../../shared/conversation/index.ts';
import { front, signed } from '../functions/slack.ts';

const shared = process.env['PARLEY_SHARED'];
const folder = join(shared ?? '', 'samples', 'slack', 'bolt-python', 'tests');
const files = shared === undefined ? [] : readdirSync(folder, { recursive: true, encoding: 'utf8' });
const samples = files.filter((file) => file.endsWith('.json'));

/** The samples with a question, by the part of their names; an older one does not say who the bot is. */
const ASKED = [
  [/shared_channels\.valid_event|org_app_mention/, ['Hi there!']],
  [/app_mention_event_body|aws_lambda\.test_events/, ['@W111 Hi there!']],
  [/assistant\.user_message_event_body/, ['When Slack was released?']],
] as const;
/** Replies in threads: the bot looks up whether it takes part there, and here it does not. */
const LOOKED_UP = /channel_user_message|thread_broadcast/;

const wrapped = z.object({ __form_urlencoded: z.string() });

async function post(file: string) {
  const content: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const form = wrapped.safeParse(content);
  const { handle, did } = front();
  const request = form.success
    ? signed(form.data.__form_urlencoded, { type: 'application/x-www-form-urlencoded', base64: true })
    : signed(JSON.stringify(content));
  return { response: await handle(request), did };
}

const whenThere = shared === undefined ? describe.skip : describe;
whenThere(
  'samples of Slack, signed and posted (skipped unless PARLEY_SHARED names the folder of samples/)',
  () => {
    test('are there', () => {
      expect(samples.length).toBeGreaterThan(30);
    });

    test.each(samples)('%s', async (file) => {
      const { response, did } = await post(file);
      expect(response.statusCode).toBe(200);
      const questions = did.sent
        .map((body) => parseTask(body))
        .map((task) => task?.kind === 'ask' && task.question);
      const asked = ASKED.find(([name]) => name.test(file))?.[1] ?? [];
      expect(questions).toEqual(asked);
      expect(did.io).toBe(asked.length > 0 ? 2 : Number(LOOKED_UP.test(file)));
    });
  },
);
