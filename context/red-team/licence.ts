import { characters } from '../../lib/core/text/utf8.ts';
import { boolean, date, number, record, string } from '../../lib/runtime/output/record.ts';

const fields = {
  is_accepted: boolean('Whether the agreement is accepted.'),
  accepted_at: date('When it was accepted.'),
  accepted_by_user_id: string('Identifier of the user who accepted it.'),
  uuid: string('Identifier of the acceptance.'),
};

export const Eula = record('AiSec.RedTeamEula', 'Licence Agreement', [], fields);

export const EulaAccepted = record('AiSec.RedTeamEula', 'Licence Agreement Accepted', [], fields);

export const EulaContent = record('AiSec.RedTeamEulaContent', 'Licence Agreement', [], {
  content_length: number('Length of the text, in characters.', {
    derive: ({ content }) => (typeof content === 'string' ? characters(content) : content),
  }),
  content: string('Full text of the agreement, in markdown.'),
});
