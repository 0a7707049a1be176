import type { Terminal } from '../terminal.ts';
import { OperatorError } from '../operator-error.ts';

/** `--yes` and `--dry-run`. */
export type ConfirmOptions = { readonly yes: boolean; readonly dryRun: boolean };

/**
 * Resolves with whether to act. With `--dry-run` it is never; with `--yes` nobody is asked. Throws OperatorError if nobody can
 * answer.
 */
export async function confirmAction(
  { yes, dryRun }: ConfirmOptions,
  question: string,
  { confirm, report }: Pick<Terminal, 'confirm' | 'report'>,
): Promise<boolean> {
  if (dryRun) {
    report('Nothing was changed (--dry-run).');
    return false;
  }
  if (yes) return true;
  if (confirm === undefined)
    throw new OperatorError('Nothing was changed: nobody can confirm it here. Add --yes.');
  if (await confirm(question)) return true;
  report('Nothing was changed.');
  return false;
}
