import * as v from 'valibot';
import type { Probe } from '../../configuration/index.ts';

const errorSchema = v.object({ message: v.string(), code: v.optional(v.number()) });
/** Discord rejects requests without a user agent of this form. */
const USER_AGENT = 'DiscordBot (https://localhost, 1.0)';

/** The status of webhook events that are on. Source: discord-api-types, ApplicationWebhookEventStatus. */
export const EVENTS_ENABLED = 2;
/** The event that a person removed the app, upon which their data is erased. */
export const REMOVAL_EVENT = 'APPLICATION_DEAUTHORIZED';

/** Fields of the application. Source: docs.discord.com/developers/resources/application#edit-current-application. */
export type ApplicationChange = {
  readonly flags?: number;
  readonly interactions_endpoint_url?: string;
  readonly event_webhooks_url?: string;
  readonly event_webhooks_status?: number;
  readonly event_webhooks_types?: readonly string[];
};

/**
 * Changes the Discord application. Resolves with what Discord says against it, or with undefined when it is done. Discord
 * calls a new URL for interactions or events before it responds.
 */
export async function editApplication(
  { apiUrl, botToken }: { readonly apiUrl: string; readonly botToken: string },
  change: ApplicationChange,
  probe: Probe,
): Promise<string | undefined> {
  const response = await probe(`${apiUrl}/applications/@me`, {
    method: 'PATCH',
    headers: {
      authorization: `Bot ${botToken}`,
      'user-agent': USER_AGENT,
      'content-type': 'application/json',
    },
    body: JSON.stringify(change),
  });
  if (response.kind === 'unreachable') return `Discord could not be reached: ${response.reason}`;
  if (response.status === 200) return undefined;
  const error = v.safeParse(errorSchema, response.json);
  return error.success
    ? `${error.output.message} (${error.output.code ?? response.status})`
    : `status ${response.status}`;
}
