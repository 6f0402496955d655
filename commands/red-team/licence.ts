import { Eula, EulaAccepted, EulaContent } from '../../context/red-team/licence.ts';
import { momentOf } from '../../lib/runtime/arguments/builders.ts';
import { command, one, path, ResponseError, redTeamManagement, time } from '../../lib/runtime/engine/declare.ts';

const agreement = redTeamManagement.get(path`/v1/eula/content`);

export const status = command('aisec-redteam-eula-status', 'Get the state of the licence agreement.', {
  effect: 'read',
  args: {},
  output: one(Eula),
  call: () => redTeamManagement.get(path`/v1/eula/status`),
  notes: ({ is_accepted }) => [
    is_accepted === false
      ? 'No scan runs before it is accepted: read it with !aisec-redteam-eula-content, then !aisec-redteam-eula-accept.'
      : undefined,
  ],
});

export const content = command('aisec-redteam-eula-content', 'Get the full text of the licence agreement.', {
  effect: 'read',
  args: {},
  output: one(EulaContent),
  call: () => agreement,
});

export const accept = command(
  'aisec-redteam-eula-accept',
  'Accept the current licence agreement, which scans require.',
  {
    effect: 'update',
    args: { accepted_at: time('Time of the acceptance, in ISO 8601; by default the time of the service.') },
    output: one(EulaAccepted),
    run: async ({ accepted_at }, { api, clock }) => {
      const at = momentOf('accepted_at', accepted_at, clock.now());
      // The service requires the accepted text in the request.
      const { content } = await api.fetch(agreement);
      if (typeof content !== 'string' || content === '') {
        throw new ResponseError('The service returned no text of the licence agreement.', {
          hint: 'Nothing was accepted: try again later.',
        });
      }
      return api.fetch(redTeamManagement.post(path`/v1/eula/accept`, { eula_content: content, accepted_at: at }));
    },
  },
);
