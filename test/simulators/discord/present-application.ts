import { ApplicationWebhookEventStatus, ApplicationWebhookEventType } from 'discord-api-types/v10';
import type { Json } from './json.ts';
import { presentUser } from './present.ts';
import { type Fault, refuseFaults } from './refusal.ts';
import type { SimulatorContext, WebhookEvents } from './context.ts';

/** The application as the bot reads it; its owner is that of the first guild. */
export function presentApplication(context: SimulatorContext): Json {
  const { identity, portal, state } = context;
  const [guild] = state.guilds.values();
  const installed = [...state.guilds.values()].filter((one) => one.installed).length;
  const flags = portal.messageContent ? MESSAGE_CONTENT_LIMITED : 0;
  return {
    ...PLAIN,
    id: identity.applicationId,
    name: identity.botName,
    flags,
    flags_new: String(flags),
    verify_key: portal.publicKey,
    interactions_endpoint_url: portal.interactionsUrl,
    event_webhooks_url: portal.webhookEvents.url,
    event_webhooks_status: portal.webhookEvents.isOn ? EVENTS.Enabled : EVENTS.Disabled,
    event_webhooks_types: [...portal.webhookEvents.types],
    owner: presentUser(context, guild?.owner ?? '0'),
    approximate_guild_count: installed,
  };
}

/** The flag GATEWAY_MESSAGE_CONTENT_LIMITED, of an app in fewer than 100 guilds. */
const MESSAGE_CONTENT_LIMITED = 1 << 19;
/** The flags that the API can change: those of the limited intents. Source: Discord's documentation, Edit Current Application. */
const EDITABLE_FLAGS = (1 << 13) | (1 << 15) | MESSAGE_CONTENT_LIMITED;

const EVENTS = ApplicationWebhookEventStatus;
const EVENT_TYPES: readonly string[] = Object.values(ApplicationWebhookEventType);

/** Changes the flags and the URLs, all or none. Discord verifies a new URL before it accepts it. */
export async function editApplication({ portal }: SimulatorContext, json: Json): Promise<void> {
  const { flags, interactions_endpoint_url: url } = json;
  const before = portal.messageContent ? MESSAGE_CONTENT_LIMITED : 0;
  if (typeof flags === 'number' && ((flags ^ before) & ~EDITABLE_FLAGS) !== 0)
    refuseFaults([
      { at: ['flags'], code: 'BASE_TYPE_CHOICES', message: 'Only limited intent flags can be changed.' },
    ]);
  const webhookEvents = readWebhookEvents(portal.webhookEvents, json);
  const { url: eventsUrl } = webhookEvents;
  if (typeof json['event_webhooks_url'] === 'string' && eventsUrl !== null)
    if (!(await portal.verifyEventsUrl(eventsUrl)))
      refuseFaults([
        {
          at: ['event_webhooks_url'],
          code: 'APPLICATION_EVENT_WEBHOOKS_URL_INVALID',
          message: 'The specified event webhooks url could not be verified.',
        },
      ]);
  if (url === null || typeof url === 'string') {
    if (!(await portal.changeInteractionsUrl(url)))
      refuseFaults([
        {
          at: ['interactions_endpoint_url'],
          code: 'APPLICATION_INTERACTIONS_ENDPOINT_INVALID',
          message: 'The specified interactions endpoint url could not be verified.',
        },
      ]);
  }
  portal.webhookEvents = webhookEvents;
  if (typeof flags === 'number') portal.messageContent = (flags & MESSAGE_CONTENT_LIMITED) !== 0;
}

const choice = (at: string, message: string): Fault => ({ at: [at], code: 'BASE_TYPE_CHOICES', message });

/** The settings of webhook events after a change. Refuses an unknown type or status, and events without a URL. */
function readWebhookEvents(before: WebhookEvents, json: Json): WebhookEvents {
  const {
    event_webhooks_url: url = before.url,
    event_webhooks_status: status = before.isOn ? EVENTS.Enabled : EVENTS.Disabled,
    event_webhooks_types: types = before.types,
  } = json;
  const names: readonly unknown[] = Array.isArray(types) ? types : [types];
  const known = names.flatMap((name) => EVENT_TYPES.filter((one) => one === name));
  const isOn = status === EVENTS.Enabled;
  refuseFaults([
    ...(known.length === names.length && new Set(known).size === known.length
      ? []
      : [choice('event_webhooks_types', `Value must be of ${EVENT_TYPES.join(', ')}, each once.`)]),
    ...(isOn || status === EVENTS.Disabled
      ? []
      : [choice('event_webhooks_status', 'Value must be one of (1, 2).')]),
    ...(isOn && typeof url !== 'string' ? [choice('event_webhooks_url', 'Events need a URL.')] : []),
  ]);
  return { url: typeof url === 'string' ? url : null, isOn, types: known };
}

/** Unsimulated fields, as of a new app. */
const PLAIN: Json = {
  description: '',
  icon: null,
  type: null,
  bot_public: true,
  bot_require_code_grant: false,
  integration_types_config: { '0': {}, '1': {} },
  redirect_uris: [],
  role_connections_verification_url: null,
  approximate_user_install_count: 0,
  approximate_user_authorization_count: 0,
  explicit_content_filter: 0,
  team: null,
  eligible_oauth2_scopes: [],
};
