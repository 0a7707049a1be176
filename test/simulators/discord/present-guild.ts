import type { Json } from './json.ts';
import { rolesOf } from './permissions.ts';
import { presentRole } from './present.ts';
import type { Guild } from './state.ts';
import type { SimulatorContext } from './context.ts';

/** A guild in the list of those that the bot is a member of. */
export const presentPartialGuild = ({ id, name }: Guild): Json => ({
  id,
  name,
  icon: null,
  banner: null,
  owner: false,
  permissions: '0',
  features: [],
});

/** A guild as `GET /guilds/{guild_id}` gives it. */
export const presentGuild = (context: SimulatorContext, guild: Guild): Json => ({
  ...PLAIN,
  id: guild.id,
  name: guild.name,
  owner_id: guild.owner,
  premium_tier: guild.tier,
  preferred_locale: guild.locale ?? 'en-US',
  roles: rolesOf(context, guild).map(presentRole),
});

/** Unsimulated fields, as of a new guild. */
const PLAIN: Json = {
  icon: null,
  description: null,
  home_header: null,
  splash: null,
  discovery_splash: null,
  banner: null,
  application_id: null,
  region: 'deprecated',
  afk_channel_id: null,
  afk_timeout: 300,
  system_channel_id: null,
  system_channel_flags: 0,
  widget_enabled: false,
  widget_channel_id: null,
  verification_level: 0,
  default_message_notifications: 0,
  mfa_level: 0,
  explicit_content_filter: 0,
  max_presences: null,
  max_members: 500_000,
  max_video_channel_users: 25,
  max_stage_video_channel_users: 50,
  vanity_url_code: null,
  premium_subscription_count: 0,
  premium_progress_bar_enabled: false,
  rules_channel_id: null,
  safety_alerts_channel_id: null,
  public_updates_channel_id: null,
  nsfw: false,
  nsfw_level: 0,
  features: [],
  emojis: [],
  stickers: [],
  incidents_data: null,
};
