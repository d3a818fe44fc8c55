//! Reads fio jobs as fio does (its HOWTO, "Job file format", and init.c): from job files, whose
//! sections inherit the options of each `[global]` before them, and from command lines.

use std::path::{Path, PathBuf};

use super::super::draft::{LEFT_OUT, ProtocolDraft};
use super::super::fate::{Fate, KnownOption, fio_options};
use crate::base::error::{Result, failed};
use crate::base::file;

/// An option of a job.
#[derive(Clone, Debug)]
pub struct JobOption {
    /// fio's name of the option; as written if fio has none of this name.
    pub key: String,
    pub value: String,
    /// "job.fio:3", or "argument 3" of a command line.
    pub place: String,
    /// As written.
    pub text: String,
}

/// A job: the options of [global], then its own.
#[derive(Clone, Debug)]
pub struct Job {
    pub name: String,
    pub place: String,
    pub options: Vec<JobOption>,
    /// Number of options that come from [global].
    pub globals: usize,
}

/// Includes of includes beyond this are a circle.
const MOST_INCLUDES: usize = 16;

/// The value of an environment variable.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Jobs being read.
pub struct JobReader<'a> {
    environment: Environment<'a>,
    globals: Vec<JobOption>,
    pub jobs: Vec<Job>,
    /// "job.fio:4: filename=${DEV}" for each variable that is not set.
    unset: Vec<String>,
    names: Vec<String>,
    in_global: bool,
}

impl<'a> JobReader<'a> {
    pub fn new(environment: Environment<'a>) -> JobReader<'a> {
        JobReader {
            environment,
            globals: Vec::new(),
            jobs: Vec::new(),
            unset: Vec::new(),
            names: Vec::new(),
            in_global: true,
        }
    }

    /// The jobs, unless a variable in one of their options is not set: fio reads it as empty text,
    /// which is a value of few options.
    pub fn finish(self) -> Result<Vec<Job>> {
        if self.unset.is_empty() {
            return Ok(self.jobs);
        }
        let sets: Vec<String> = self.names.iter().map(|name| format!("{name}=…")).collect();
        let what = format!("environment variables are not set: {}", self.unset.join("; "));
        Err(failed(what, format!("set them: {} dyno convert …", sets.join(" "))))
    }

    /// Reads the text of a job file; `folder` is that of its includes.
    pub fn read(&mut self, name: &str, text: &str, folder: &Path) -> Result<()> {
        let first = self.jobs.len();
        self.in_global = true;
        self.lines(name, text, folder, 0)?;
        // Several job files run one after another.
        if first > 0 && self.jobs.len() > first {
            let job = &mut self.jobs[first];
            let place = job.place.clone();
            job.options.push(option("stonewall", "1", place, String::new()));
        }
        Ok(())
    }

    fn lines(&mut self, name: &str, text: &str, folder: &Path, depth: usize) -> Result<()> {
        for (line, written) in text.lines().enumerate() {
            let place = format!("{name}:{}", line + 1);
            let written = written.split([';', '#']).next().unwrap_or_default().trim();
            if written.is_empty() {
                continue;
            }
            if let Some(section) = written.strip_prefix('[') {
                if depth > 0 {
                    let what = format!("{place}: a section in an included file");
                    return Err(failed(what, "fio allows options only; move the section"));
                }
                let section = section.strip_suffix(']').unwrap_or(section);
                self.section(section, place);
                continue;
            }
            if let Some(included) = written.strip_prefix("include").filter(|rest| {
                rest.starts_with(char::is_whitespace) && !rest.trim_start().starts_with('=')
            }) {
                self.include(included.trim(), &place, folder, depth)?;
                continue;
            }
            let (key, value) = written.split_once('=').unwrap_or((written, "1"));
            let value = self.expanded(value.trim(), &format!("{place}: {written}"));
            self.add(option(key.trim(), &value, place, written.to_string()));
        }
        Ok(())
    }

    fn section(&mut self, name: &str, place: String) {
        self.in_global = name == "global";
        if !self.in_global {
            let (options, globals) = (self.globals.clone(), self.globals.len());
            self.jobs.push(Job { name: name.to_string(), place, options, globals });
        }
    }

    fn add(&mut self, option: JobOption) {
        match self.jobs.last_mut().filter(|_| !self.in_global) {
            Some(job) => job.options.push(option),
            None => self.globals.push(option),
        }
    }

    /// A path relative to the working directory or, if there is none, to the including file.
    fn include(&mut self, path: &str, place: &str, folder: &Path, depth: usize) -> Result<()> {
        let here = PathBuf::from(path);
        let found = if here.exists() { here } else { folder.join(path) };
        if depth >= MOST_INCLUDES {
            return Err(failed(format!("{place}: include {path} includes itself"), "remove it"));
        }
        let text = file::read_text(&found, file::MOST_TEXT)
            .map_err(|error| error.context(format!("{place}: include {path}")))?;
        let within = found.parent().unwrap_or(Path::new(".")).to_path_buf();
        self.lines(path, &text, &within, depth + 1)
    }

    /// Replaces each ${NAME} by the variable's value.
    fn expanded(&mut self, value: &str, written: &str) -> String {
        let (mut out, mut rest) = (String::new(), value);
        while let Some((before, after)) = rest.split_once("${") {
            out += before;
            let Some((name, behind)) = after.split_once('}') else {
                return out + "${" + after;
            };
            match (self.environment)(name) {
                Some(set) => out += &set,
                None => {
                    self.unset.push(written.to_string());
                    if !self.names.iter().any(|known| known == name) {
                        self.names.push(name.to_string());
                    }
                }
            }
            rest = behind;
        }
        out + rest
    }

    /// Reads the arguments of a command line, without the program's name. Options before the first
    /// --name, and those of --name=global, are global. Job files are read after all options.
    pub fn arguments(
        &mut self,
        arguments: &[String],
        open: &mut dyn FnMut(&str) -> Result<(String, PathBuf)>,
        draft: &mut ProtocolDraft,
    ) -> Result<()> {
        let (mut files, mut sections) = (Vec::new(), Vec::new());
        let mut rest = arguments.iter().enumerate();
        while let Some((number, argument)) = rest.next() {
            let place = format!("argument {}", number + 1);
            let Some(written) = argument.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
                files.push(argument.clone());
                continue;
            };
            let written = written.strip_prefix('-').unwrap_or(written);
            let (name, value) = match written.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (written, None),
            };
            let known = of_command_line(name);
            let value = match (value, known) {
                (Some(value), _) => value,
                (None, Some(known)) if !known.flag => {
                    rest.next().map(|(_, value)| value.clone()).unwrap_or_default()
                }
                _ => "1".to_string(),
            };
            if let Some(known) = known.filter(|known| known.name.starts_with("--")) {
                draft.settle(place, argument, known.fate, known.what);
                if known.name == "--section" {
                    sections.push(value);
                }
                continue;
            }
            let key = known.map_or(name, |known| known.name);
            let text = match argument.contains('=') || value == "1" {
                true => argument.clone(),
                false => format!("{argument} {value}"),
            };
            if key == "name" {
                self.section(&value, place.clone());
            }
            let set = option(key, &value, place, text);
            if key != "name" || !self.in_global {
                self.add(set);
            }
        }
        for path in files {
            let (text, folder) = open(&path)?;
            let name = if path == "-" { "standard input" } else { path.as_str() };
            self.read(name, &text, &folder)?;
        }
        if !sections.is_empty() {
            self.jobs.retain(|job| sections.contains(&job.name));
        }
        Ok(())
    }
}

fn option(written: &str, value: &str, place: String, text: String) -> JobOption {
    let name = written.to_lowercase();
    let known = fio_options().iter().find(|known| known.is_called(&name));
    let key = known.map_or(name.clone(), |known| known.name.to_string());
    JobOption { key, value: value.to_string(), place, text }
}

/// The option meant by a name on the command line, where it may be abbreviated if that is clear.
fn of_command_line(name: &str) -> Option<&'static KnownOption> {
    let plain = |option: &'static KnownOption| {
        let bare = option.name.strip_prefix("--").unwrap_or(option.name);
        bare == name || option.aliases.contains(&name)
    };
    let all = || fio_options().iter();
    all().find(|option| plain(option)).or_else(|| {
        let begins = |option: &&KnownOption| {
            option.name.strip_prefix("--").unwrap_or(option.name).starts_with(name)
                || option.begins(name)
        };
        let mut meant = all().filter(begins);
        let first = meant.next()?;
        meant.all(|other| other.name == first.name).then_some(first)
    })
}

impl Job {
    /// The setting of an option that counts: the last.
    pub fn last(&self, key: &str) -> Option<&JobOption> {
        self.options.iter().rev().find(|option| option.key == key)
    }

    /// Records the fates of a job that is left out.
    pub fn leave_out(&self, draft: &mut ProtocolDraft, at: &JobOption, why: &str) {
        let why = format!("[{}] is left out: {why}", self.name);
        draft.lose(&at.place, &at.text, why);
        for option in &self.options[self.globals..] {
            draft.settle(&option.place, &option.text, Fate::Lost, LEFT_OUT);
        }
    }
}
