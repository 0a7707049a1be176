import type { Json } from './json.ts';
import { presentUser } from './present.ts';
import type { SimulatorContext } from './context.ts';

/** The application as the bot reads it; its owner is that of the first guild. */
export function presentApplication(context: SimulatorContext): Json {
  const { identity, portal, state } = context;
  const [guild] = state.guilds.values();
  const installed = [...state.guilds.values()].filter((one) => one.installed).length;
  const flags = identity.messageContent ? 1 << 19 : 0;
  return {
    ...PLAIN,
    id: identity.applicationId,
    name: identity.botName,
    flags,
    flags_new: String(flags),
    verify_key: portal.publicKey,
    interactions_endpoint_url: portal.interactionsUrl,
    owner: presentUser(context, guild?.owner ?? '0'),
    approximate_guild_count: installed,
  };
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
