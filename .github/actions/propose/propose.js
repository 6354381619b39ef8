// Checks what the other job handed over, commits it, pushes the branch, and opens or changes its pull request. Its job is
// a fresh runner with a fresh clone: nothing of the project ran there, and nothing of it runs here.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readProposal, requireFiles } from './check.js'

const {
  AUTHSMITH_BRANCH = 'create-authsmith/update',
  AUTHSMITH_WORKFLOWS = 'false',
  RUNNER_TEMP = '',
} = process.env
const NAME = 'create-authsmith'
/** Its commits may be replaced by the next run; those of others may not. */
const EMAIL = 'create-authsmith@users.noreply.github.com'
const AUTHOR = ['-c', `user.name=${NAME}`, '-c', `user.email=${EMAIL}`]
const REMOTE = `refs/remotes/origin/${AUTHSMITH_BRANCH}`

const git = (args, input = '') =>
  execFileSync(
    'git',
    ['-c', 'credential.helper=', '-c', 'credential.helper=!gh auth git-credential', ...args],
    { encoding: 'utf8', input, maxBuffer: 256 * 1024 * 1024 },
  ).trim()
const gh = (args, input = '') => execFileSync('gh', args, { encoding: 'utf8', input }).trim()

const proposal = readProposal(join(RUNNER_TEMP, 'create-authsmith'))
if (proposal) propose(proposal)
else console.log('There is nothing to propose.')

function propose({ base, title, body, comments, patch }) {
  if (git(['rev-parse', 'HEAD']) !== base)
    throw new Error('The update is refused: it was made from another commit. Run the workflow again.')
  const target = git(['branch', '--show-current'])
  if (target === '' || target === AUTHSMITH_BRANCH)
    throw new Error('Check out the branch that the pull request is for.')
  git(['check-ref-format', `refs/heads/${AUTHSMITH_BRANCH}`])
  // Only the index: no file of the update is written where a program could find it.
  git(['apply', '--cached', '--allow-empty', '--whitespace=nowarn', '-'], patch)
  requireFiles(git(['diff-index', '--cached', '--no-renames', '-z', 'HEAD']), {
    workflows: AUTHSMITH_WORKFLOWS === 'true',
  })
  const commit = git([...AUTHOR, 'commit-tree', git(['write-tree']), '-p', base, '-m', title])
  const pushed = pushedCommit()
  if (pushed && git(['log', '-1', '--format=%ce', REMOTE]) !== EMAIL) {
    console.log(`${AUTHSMITH_BRANCH} has commits of others. Merge or delete it to get the next update.`)
    return
  }
  const lease = `--force-with-lease=${AUTHSMITH_BRANCH}:${pushed}`
  git(['push', '--quiet', lease, 'origin', `${commit}:refs/heads/${AUTHSMITH_BRANCH}`])
  const open = JSON.parse(
    gh(['pr', 'list', '--head', AUTHSMITH_BRANCH, '--state', 'open', '--json', 'number']),
  )
  const text = ['--title', title, '--body-file', '-']
  if (open.length > 0) gh(['pr', 'edit', String(open[0].number), ...text], body)
  else gh(['pr', 'create', '--head', AUTHSMITH_BRANCH, '--base', target, ...text], body)
  comment(comments)
}

/** The commit of the branch at the origin, which is fetched; empty if there is none. */
function pushedCommit() {
  const [commit = ''] = git(['ls-remote', 'origin', `refs/heads/${AUTHSMITH_BRANCH}`]).split('\t')
  if (commit) git(['fetch', '--quiet', 'origin', `+refs/heads/${AUTHSMITH_BRANCH}:${REMOTE}`])
  return commit
}

/** Adds the comments that the pull request does not have from an earlier run. */
function comment(comments) {
  if (comments.length === 0) return
  const { comments: present } = JSON.parse(gh(['pr', 'view', AUTHSMITH_BRANCH, '--json', 'comments']))
  for (const text of comments) {
    const mark = `<!-- create-authsmith ${createHash('sha256').update(text).digest('hex').slice(0, 16)} -->`
    if (present.some(({ body }) => body.includes(mark))) continue
    gh(['pr', 'comment', AUTHSMITH_BRANCH, '--body-file', '-'], `${text}\n${mark}\n`)
  }
}
