import * as v from 'valibot';

/**
 * The parts of a manifest that Parley uses, with their limits: docs.slack.dev/reference/app-manifest, and the schema 2.0.0 of
 * github.com/slackapi/manifest-schema, which is in no package. Nothing else is allowed, so that a new part needs its rule here.
 */
const text = (max: number, min = 1) => v.pipe(v.string(), v.minLength(min), v.maxLength(max));
const webAddress = (max: number) => v.pipe(text(max), v.regex(/^https:\/\//));
const flag = v.boolean();

/** "Apps can have at most five of each": docs.slack.dev/interactivity/implementing-shortcuts. */
const MAX_SHORTCUTS_OF_A_TYPE = 5;

const shortcut = v.strictObject({
  name: text(24),
  type: v.picklist(['message', 'global']),
  callback_id: text(255),
  description: text(150),
});
const shortcuts = v.pipe(
  v.array(shortcut),
  v.minLength(1),
  v.maxLength(10),
  v.check((all) => all.filter(({ type }) => type === 'message').length <= MAX_SHORTCUTS_OF_A_TYPE),
  v.check((all) => all.filter(({ type }) => type === 'global').length <= MAX_SHORTCUTS_OF_A_TYPE),
);
const slashCommand = v.strictObject({
  command: v.pipe(text(32, 2), v.regex(/^\/\S+$/)),
  url: v.optional(webAddress(3_000)),
  description: text(2_000),
  usage_hint: v.optional(text(1_000)),
  should_escape: v.optional(flag),
});
const unique = (all: string[]): boolean => new Set(all).size === all.length;
const names = (max: number) => v.pipe(v.array(text(50)), v.maxLength(max), v.check(unique));

const features = v.strictObject({
  agent_view: v.strictObject({
    agent_description: v.optional(text(300)),
    suggested_prompts: v.optional(
      v.pipe(v.array(v.strictObject({ title: text(100), message: text(4_000) })), v.maxLength(4)),
    ),
  }),
  app_home: v.strictObject({
    home_tab_enabled: flag,
    messages_tab_enabled: flag,
    messages_tab_read_only_enabled: flag,
  }),
  bot_user: v.strictObject({
    display_name: v.pipe(text(80), v.regex(/^[a-z0-9._-]+$/)),
    always_online: v.optional(flag),
  }),
  shortcuts: v.optional(shortcuts),
  slash_commands: v.pipe(v.array(slashCommand), v.minLength(1), v.maxLength(50)),
});

const settings = v.strictObject({
  event_subscriptions: v.strictObject({ request_url: v.optional(webAddress(3_500)), bot_events: names(100) }),
  interactivity: v.strictObject({ is_enabled: flag, request_url: v.optional(webAddress(3_500)) }),
  org_deploy_enabled: flag,
  socket_mode_enabled: flag,
  token_rotation_enabled: flag,
});

export const manifestShape = v.pipe(
  v.strictObject({
    _metadata: v.strictObject({ major_version: v.literal(2), minor_version: v.literal(1) }),
    display_information: v.strictObject({
      name: text(35),
      description: v.optional(text(140)),
      background_color: v.optional(v.pipe(v.string(), v.regex(/^#[0-9a-f]{3}(?:[0-9a-f]{3})?$/i))),
    }),
    features,
    oauth_config: v.strictObject({
      redirect_urls: v.optional(v.pipe(v.array(webAddress(2_500)), v.maxLength(1_000))),
      scopes: v.pipe(
        v.strictObject({ bot: names(255), bot_optional: v.optional(names(255)) }),
        v.check(
          ({ bot, bot_optional: optional = [] }) => optional.every((scope) => bot.includes(scope)),
          'optional scopes are scopes of the bot',
        ),
      ),
    }),
    settings,
  }),
  v.check(
    ({ settings: { socket_mode_enabled: socket, event_subscriptions: events } }) =>
      socket === (events.request_url === undefined),
    'events come by socket mode or to an address',
  ),
);
