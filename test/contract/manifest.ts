import { type Schema, Validator } from '@cfworker/json-schema';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { formatManifest } from '../../infra/cli/slack-manifest.ts';

/**
 * The parts of a manifest that Parley uses, with their limits: docs.slack.dev/reference/app-manifest, and the schema 2.0.0 of
 * github.com/slackapi/manifest-schema, which is in no package. Nothing else is allowed, so that a new part needs its rule here.
 */
const text = (max: number, min = 1) => z.string().check(z.minLength(min), z.maxLength(max));
const webAddress = (max: number) => text(max).check(z.regex(/^https:\/\//));
const flag = z.boolean();

/** "Apps can have at most five of each": docs.slack.dev/interactivity/implementing-shortcuts. */
const MAX_SHORTCUTS_OF_A_TYPE = 5;

const shortcut = z.strictObject({
  name: text(24),
  type: z.enum(['message', 'global']),
  callback_id: text(255),
  description: text(150),
});
const shortcuts = z.array(shortcut).check(
  z.minLength(1),
  z.maxLength(10),
  z.refine((all) => all.filter(({ type }) => type === 'message').length <= MAX_SHORTCUTS_OF_A_TYPE),
  z.refine((all) => all.filter(({ type }) => type === 'global').length <= MAX_SHORTCUTS_OF_A_TYPE),
);
const slashCommand = z.strictObject({
  command: text(32, 2).check(z.regex(/^\/\S+$/)),
  url: z.optional(webAddress(3_000)),
  description: text(2_000),
  usage_hint: z.optional(text(1_000)),
  should_escape: z.optional(flag),
});
const unique = (all: readonly string[]): boolean => new Set(all).size === all.length;
const names = (max: number) => z.array(text(50)).check(z.maxLength(max), z.refine(unique));

const features = z.strictObject({
  agent_view: z.strictObject({
    agent_description: z.optional(text(300)),
    suggested_prompts: z.optional(
      z.array(z.strictObject({ title: text(100), message: text(4_000) })).check(z.maxLength(4)),
    ),
  }),
  app_home: z.strictObject({
    home_tab_enabled: flag,
    messages_tab_enabled: flag,
    messages_tab_read_only_enabled: flag,
  }),
  bot_user: z.strictObject({
    display_name: text(80).check(z.regex(/^[a-z0-9._-]+$/)),
    always_online: z.optional(flag),
  }),
  shortcuts: z.optional(shortcuts),
  slash_commands: z.array(slashCommand).check(z.minLength(1), z.maxLength(50)),
});

const settings = z.strictObject({
  event_subscriptions: z.strictObject({ request_url: z.optional(webAddress(3_500)), bot_events: names(100) }),
  interactivity: z.strictObject({ is_enabled: flag, request_url: z.optional(webAddress(3_500)) }),
  org_deploy_enabled: flag,
  socket_mode_enabled: flag,
  token_rotation_enabled: flag,
});

const manifest = z
  .strictObject({
    _metadata: z.strictObject({ major_version: z.literal(2), minor_version: z.literal(1) }),
    display_information: z.strictObject({
      name: text(35),
      description: z.optional(text(140)),
      background_color: z.optional(z.string().check(z.regex(/^#[0-9a-f]{3}(?:[0-9a-f]{3})?$/i))),
    }),
    features,
    oauth_config: z.strictObject({
      redirect_urls: z.optional(z.array(webAddress(2_500)).check(z.maxLength(1_000))),
      scopes: z.strictObject({ bot: names(255) }),
    }),
    settings,
  })
  .check(
    z.refine(
      ({ settings: { socket_mode_enabled: socket, event_subscriptions: events } }) =>
        socket === (events.request_url === undefined),
      { error: 'events come by socket mode or to an address' },
    ),
  );

/** What every form of the manifest that can be printed is printed by. */
export const FORMS: readonly (readonly string[])[] = [[], ['--channels']].flatMap((hears) =>
  [[], ['--url', 'https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com']].flatMap((place) =>
    [[], ['--command', '/bot_2']].flatMap((command) =>
      (place.length > 0 ? [[], ['--org']] : [[]]).map((org) => [...hears, ...place, ...command, ...org]),
    ),
  ),
);

/** The manifest for these arguments, as JSON. */
export const manifestFor = (form: readonly string[]): unknown => JSON.parse(formatManifest(form));

/** What Slack would say against a manifest, a line for each fault. */
export function manifestFaults(given: unknown, schema?: Schema): string[] {
  const ours = manifest.safeParse(given).error?.issues ?? [];
  const theirs = schema ? new Validator(schema, '7', false).validate(given).errors : [];
  return [
    ...ours.map(({ path, message }) => `/${path.map(String).join('/')}: ${message}`),
    ...theirs.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`),
  ];
}

/** Slack's own schema, where its samples lie beside the project. */
export function manifestSchema(shared: string | undefined): Schema | undefined {
  const file = join(
    shared ?? '',
    'samples',
    'slack',
    'manifest-schema',
    'schemas',
    'manifest.schema.2.0.0.json',
  );
  if (shared === undefined || !existsSync(file)) return undefined;
  return z
    .custom<Schema>((of) => typeof of === 'object' && of !== null)
    .parse(JSON.parse(readFileSync(file, 'utf8')));
}
