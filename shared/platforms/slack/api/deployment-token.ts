import * as v from 'valibot';
import type { WorkspaceId } from '../../../domain/index.ts';
import { type SlackCall, SlackApiError } from './call.ts';
import { optionalId } from '../inbound/installation-fields.ts';

const answer = v.object({
  team_id: optionalId,
  enterprise_id: optionalId,
  is_enterprise_install: v.nullish(v.boolean()),
});

export type HomeDeps = {
  /** A token that is not of an install by OAuth: the deployment's own. */
  readonly token: (options?: { readonly refresh: boolean }) => Promise<string>;
  /** Calls Slack with that token. */
  readonly callWith: (token: string) => SlackCall;
};

/**
 * The deployment's own token, for the workspace that it is of and for no other: in one that has removed the app, or never had
 * it, nothing is said or looked up by the token of another one, which may share channels with it. Rejects there with
 * `account_inactive`, as Slack says of an app that is not installed any more. Slack is asked once for each token whose it is
 * (`auth.test`; of an install for a whole organisation the organisation counts).
 */
export function homeToken({ token, callWith }: HomeDeps) {
  const homes = new Map<string, Promise<ReadonlySet<string>>>();
  const homeOf = (current: string): Promise<ReadonlySet<string>> => {
    const known = homes.get(current);
    if (known) return known;
    const asked = workspacesOf(callWith(current));
    homes.set(current, asked);
    asked.catch(() => homes.delete(current));
    return asked;
  };
  return async (workspace: WorkspaceId, options?: { readonly refresh: boolean }): Promise<string> => {
    const current = await token(options);
    if ((await homeOf(current)).has(workspace)) return current;
    throw new SlackApiError('auth.test', 'account_inactive');
  };
}

async function workspacesOf(call: SlackCall): Promise<ReadonlySet<string>> {
  const {
    team_id: team,
    enterprise_id: organisation,
    is_enterprise_install: forAll,
  } = v.parse(answer, await call('auth.test', {}));
  return new Set([team, forAll === true ? organisation : undefined].filter((id) => typeof id === 'string'));
}
