import * as v from 'valibot';
import type { Probe } from '../../configuration/index.ts';

const errorSchema = v.object({ message: v.string(), code: v.optional(v.number()) });
/** Discord rejects requests without a user agent of this form. */
const USER_AGENT = 'DiscordBot (https://localhost, 1.0)';

export type ApplicationChange = { readonly flags?: number; readonly interactions_endpoint_url?: string };

/**
 * Changes the Discord application. Resolves with what Discord says against it, or with undefined when it is done. Discord
 * calls a new interactions URL before it responds.
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
