import type { FindChannelVisibility } from '../platforms/ports/index.ts';
import type { Settings } from '../ports/index.ts';
import type { Log } from '../runtime/index.ts';
import type { ErasureMoments, Facts } from '../storage/index.ts';

/** What memory needs. */
export type FactsContext = {
  readonly facts: Pick<Facts, 'list' | 'add' | 'edit' | 'remove' | 'clear'>;
  readonly isPublicChannel: FindChannelVisibility;
  readonly erasureMoments: Pick<ErasureMoments, 'findForPeople'>;
  readonly settings: Settings;
  readonly log: Log;
};
