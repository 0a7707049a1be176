import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Schema, Validator } from '@cfworker/json-schema';
import * as z from 'zod/mini';
import { EVENTS } from '../../shared/platforms/slack/app.ts';

const project = join(import.meta.dirname, '..', '..');
const shared = process.env['PARLEY_SHARED'];
const slack = join(shared ?? '', 'samples', 'slack');

const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));
const example = json(project, 'docs', 'slack-app.json');

const names = z.array(z.string());
const manifest = z
  .object({
    features: z.object({ agent_view: z.looseObject({}) }),
    oauth_config: z.object({ scopes: z.object({ bot: names, bot_optional: names }) }),
    settings: z.object({
      event_subscriptions: z.object({ bot_events: names }),
      interactivity: z.object({ is_enabled: z.boolean() }),
    }),
  })
  .parse(example);
const scopes = [...manifest.oauth_config.scopes.bot, ...manifest.oauth_config.scopes.bot_optional];

const sources = readdirSync(join(project, 'shared/platforms/slack'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(project, 'shared/platforms/slack', file), 'utf8'))
  .join('\n');

describe('the example of a manifest', () => {
  test('asks for presses, and for what the front listens to', () => {
    expect(manifest.settings.interactivity.is_enabled).toBe(true);
    // Messages are subscribed to by the kind of their channel; see the next test.
    const listened = [...EVENTS].filter((event) => event !== 'message');
    expect(manifest.settings.event_subscriptions.bot_events).toEqual(expect.arrayContaining(listened));
  });

  test('may read of each kind of conversation what it is told of', () => {
    const kinds = { channels: 'channels', groups: 'groups', im: 'im', mpim: 'mpim' };
    for (const [kind, scope] of Object.entries(kinds)) {
      expect(manifest.settings.event_subscriptions.bot_events).toContain(`message.${kind}`);
      expect(manifest.oauth_config.scopes.bot).toContain(`${scope}:history`);
    }
  });
});

/** What the reference among the samples does not hold. See docs.slack.dev/reference/methods. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'auth.test': [],
  'chat.delete': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'reactions.add': ['reactions:write'],
  'users.info': ['users:read'],
};
const object = z.custom<Schema>((of) => typeof of === 'object' && of !== null);
const reference = z.object({ scope: z.object({ bot: names }) });

const whenThere = shared === undefined ? describe.skip : describe;
whenThere("held against Slack's own data (skipped unless PARLEY_SHARED names the folder of samples/)", () => {
  test('the manifest is valid, and what is not is told', () => {
    const schema = json(slack, 'manifest-schema', 'schemas', 'manifest.schema.2.0.0.json');
    const validator = new Validator(object.parse(schema), '7', false);
    const { errors } = validator.validate(example);
    expect(errors).toEqual([]);
    const tests = join(slack, 'manifest-schema', 'tests', 'manifests', 'v2');
    expect(validator.validate(json(tests, 'manifest.valid.json')).valid).toBe(true);
    expect(validator.validate(json(tests, 'manifest.invalid.json')).valid).toBe(false);
  });

  const methods = new Set(
    sources.match(
      /(?<=')(?:agents|assistant|auth|chat|conversations|files|reactions|users)\.[a-z]\w*(?:\.\w+)?(?=')/g,
    ),
  );

  test.each([...methods].toSorted())('%s is allowed by its scopes', (method) => {
    const file = join(slack, 'slack-api-ref', 'docs.slack.dev', 'methods', `${method}.json`);
    const known = SCOPES[method] ?? (existsSync(file) ? reference.parse(json(file)).scope.bot : undefined);
    expect(known).toBeDefined();
    expect(scopes).toEqual(expect.arrayContaining([...(known ?? [])]));
  });
});
