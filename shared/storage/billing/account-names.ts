import { getAccountName, addDays, dateInZone, PERIODS } from '../../billing/budgets/index.ts';
import type { PlatformName, UserId, WorkspaceId } from '../../domain/index.ts';

/** How long accounts are kept after their last booking. */
export const ACCOUNT_DAYS = 400;
/** The longest period of an account: its last booking may be at its end. */
const MAX_PERIOD_DAYS = 31;

/** Returns the partition of the accounts of a workspace. */
export const policyKey = ({
  platform,
  workspace,
}: {
  readonly platform: PlatformName;
  readonly workspace: WorkspaceId;
}): string => `ACCOUNT#${platform}#${workspace}`;

/**
 * Returns the names of all accounts that a person may have, in any time zone: some 500. `now` in ms since 1970.
 */
export function accountNames(user: UserId, now: number): string[] {
  const today = dateInZone(now, 'UTC');
  const days = Array.from({ length: ACCOUNT_DAYS + MAX_PERIOD_DAYS + 2 }, (_, i) => addDays(today, 1 - i));
  const names = days.flatMap((day) =>
    PERIODS.map((period) =>
      getAccountName('person', { person: user, channel: '' }, period, Date.parse(day), 'UTC'),
    ),
  );
  return [...new Set(names)];
}
