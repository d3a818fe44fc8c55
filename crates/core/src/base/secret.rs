//! Removes passwords and tokens from a text before it is stored or shown.

use serde_json::Value;

/// Words before `=` or `:` whose value must stay secret.
const NAMES: [&str; 7] = ["password", "passwd", "pwd", "token", "secret", "api_key", "apikey"];

const HIDDEN: &str = "***";

/// The text with every secret that can be recognised replaced: `scheme://user:SECRET@host`,
/// `password=SECRET`, `"token": "SECRET"`.
pub fn hide(text: &str) -> String {
    let mut out = hide_in_urls(text);
    for name in NAMES {
        out = hide_after(&out, name);
    }
    hide_authorization(&out)
}

/// Hides the value after an HTTP authentication scheme: "Authorization: Bearer SECRET".
fn hide_authorization(text: &str) -> String {
    let is_header = |word: &str| {
        word.to_ascii_lowercase().trim_matches(['"', '\'']).starts_with("authorization:")
    };
    let mut out = String::with_capacity(text.len());
    // Number of words of a header read so far.
    let mut passed = 0;
    for piece in text.split_inclusive(' ') {
        let word = piece.trim_end_matches(' ');
        passed = if is_header(word) {
            1
        } else if passed > 0 && !word.is_empty() {
            passed + 1
        } else {
            passed
        };
        match passed {
            3 => {
                let end = word.find(['"', '\'', ',']).unwrap_or(word.len());
                out.push_str(HIDDEN);
                out.push_str(&piece[end..]);
                passed = 0;
            }
            _ => out.push_str(piece),
        }
    }
    out
}

/// Whether the text contains anything that `hide` would remove.
pub fn holds(text: &str) -> bool {
    hide(text) != text
}

/// Whether a command's words contain a secret, also as the value of an option: "--password SECRET".
pub fn in_command(words: &[String]) -> bool {
    let all: Vec<&str> = words.iter().flat_map(|word| word.split_whitespace()).collect();
    let program = all.first().map_or("", |word| word.rsplit('/').next().unwrap_or_default());
    let is_given = |pair: &[&str]| {
        let (option, value) = (pair[0], pair[1]);
        let Some(name) = option.strip_prefix('-') else { return false };
        let name = name.trim_start_matches('-').to_ascii_lowercase().replace('-', "_");
        let named = NAMES.iter().any(|secret| name.ends_with(secret)) || name.ends_with("pass");
        let is_number = value.chars().all(|c| c.is_ascii_digit());
        let short = match option {
            // A port otherwise.
            "-p" => !is_number,
            "-P" => true,
            // net-snmp's pass phrases and communities.
            "-A" | "-X" | "-c" => program.starts_with("snmp"),
            "-u" | "-U" | "--user" => value.contains(':'),
            _ => false,
        };
        (named || short) && !value.starts_with(['$', '-'])
    };
    words.iter().any(|word| holds(word)) || all.windows(2).any(is_given)
}

/// Hides secrets in every string of a JSON value, and any value under a name such as "password".
pub fn hide_json(value: &mut Value) {
    match value {
        Value::String(text) => *text = hide(text),
        Value::Array(items) => items.iter_mut().for_each(hide_json),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                let named = |text: &str| format!("{name}={text}");
                match field {
                    // Hidden because of its name, therefore completely.
                    Value::String(text) if hide(&named(text)) != named(&hide(text)) => {
                        *text = HIDDEN.to_string()
                    }
                    _ => hide_json(field),
                }
            }
        }
        _ => {}
    }
}

fn hide_in_urls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after
            .find(|c: char| c.is_whitespace() || "/\"'<>\\".contains(c))
            .unwrap_or(after.len());
        let authority = &after[..end];
        match authority
            .rsplit_once('@')
            .and_then(|(user, host)| Some((user.split_once(':')?.0, host)))
        {
            Some((user, host)) => out.push_str(&format!("{user}:{HIDDEN}@{host}")),
            None => out.push_str(authority),
        }
        rest = &after[end..];
    }
    out.push_str(rest);
    out
}

/// Hides the value after `name=`, `name: ` or `"name":"`, whatever its case.
fn hide_after(text: &str, name: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(found) = lower[from..].find(name) {
        let after_name = from + found + name.len();
        let tail = &text[after_name..];
        let value = tail.trim_start_matches(['"', '\\']).trim_start();
        let Some(value) = value.strip_prefix(['=', ':']) else {
            out.push_str(&text[from..after_name]);
            from = after_name;
            continue;
        };
        let quoted = value.trim_start();
        let value = quoted.trim_start_matches(['"', '\'', '\\']);
        let is_quoted = quoted.len() != value.len();
        let ends = |c: char| {
            "\"'\\<>".contains(c) || (!is_quoted && (c.is_whitespace() || ",;&})".contains(c)))
        };
        let in_pairs = in_pairs(&text[..from + found], quoted);
        let value = if in_pairs { quoted.trim_start_matches('\\') } else { value };
        let start = text.len() - value.len();
        let end = start
            + if in_pairs { end_of_pair(value) } else { value.find(ends).unwrap_or(value.len()) };
        out.push_str(&text[from..start]);
        // An empty value or a variable's name is not a secret.
        let kept = &text[start..end];
        out.push_str(if kept.is_empty() || kept.starts_with('$') { kept } else { HIDDEN });
        from = end;
    }
    out.push_str(&text[from..]);
    out
}

/// Whether the value is part of a connection string of pairs: "Server=a;Password=b;Encrypt=true".
fn in_pairs(before: &str, value: &str) -> bool {
    let is_pair = |text: &str| {
        let name = text.split('=').next().unwrap_or_default().trim();
        text.contains('=')
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphabetic() || c == ' ')
    };
    before.trim_end().ends_with(';') || value.split(';').skip(1).any(is_pair)
}

/// The end of a pair's value. Anything except `;` may be part of the password; in quotes, `;` and
/// the doubled quote too.
fn end_of_pair(value: &str) -> usize {
    let close = match value.chars().next() {
        Some(quote @ ('\'' | '"')) => quote,
        Some('{') => '}',
        _ => return value.find([';', '\n', '"']).unwrap_or(value.len()),
    };
    let mut rest = value.char_indices().skip(1).peekable();
    while let Some((at, c)) = rest.next() {
        if c == close && rest.next_if(|(_, next)| *next == close).is_none() {
            return at + c.len_utf8();
        }
    }
    value.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_loses_its_secrets_and_nothing_else() {
        let mut plan = serde_json::json!({"knobs": {
            "password": "hunter2", "host": "db", "token": ["a"],
            "url": "mysql://u:hunter2@db/x", "words": ["--password=hunter2", "-v"]}, "seed": 1});
        hide_json(&mut plan);
        let hidden = serde_json::json!({"knobs": {"password": "***", "host": "db", "token": ["a"],
            "url": "mysql://u:***@db/x", "words": ["--password=***", "-v"]}, "seed": 1});
        assert_eq!(plan, hidden);
    }

    #[test]
    fn a_secret_in_a_word_of_its_own_is_found_by_its_option() {
        for (command, found) in [
            ("ppm-read --password hunter2", true),
            ("ppm-read --bmc-password hunter2", true),
            ("ppm-read -Password hunter2 -v", true),
            ("ppm-read --api-key hunter2", true),
            ("ppm-read --token=hunter2", true),
            ("/usr/bin/ipmitool -H bmc -U admin -P hunter2 sensor", true),
            ("sshpass -p hunter2 ssh bmc", true),
            ("curl -u admin:hunter2 http://bmc/", true),
            ("snmpget -v3 -A hunter22 -c public pdu", true),
            ("sh -c|ipmitool -P hunter2 sensor", true),
            ("ppm-read --password $PPM_PASSWORD", false),
            ("ppm-read --password -v", false),
            ("ppm-read -p 7070 -A 3 -c fast -u admin", false),
            ("ipmitool -H bmc -U admin -f /etc/bmc-password sensor", false),
        ] {
            // A bar divides words that contain spaces.
            let words: Vec<String> = match command.split_once('|') {
                Some((shell, script)) => {
                    shell.split(' ').chain([script]).map(String::from).collect()
                }
                None => command.split(' ').map(String::from).collect(),
            };
            assert_eq!(in_command(&words), found, "{command}");
        }
    }

    #[test]
    fn secrets_are_taken_out_and_the_rest_stays() {
        for (text, hidden) in [
            ("mysql://root:hunter2@db:3306/x", "mysql://root:***@db:3306/x"),
            ("host=a password=hunter2 user=b", "host=a password=*** user=b"),
            ("Password='hunter 2';x", "Password='***';x"),
            (
                "Server=tcp:db,1433;User Id=sa;Password=hun&t,e)r2;Encrypt=true",
                "Server=tcp:db,1433;User Id=sa;Password=***;Encrypt=true",
            ),
            ("Password=hun t<er2;Server=db", "Password=***;Server=db"),
            ("Server=db;Pwd=\"hun;\"\"t'er2\";Database=x", "Server=db;Pwd=***;Database=x"),
            ("Server=db;PWD={hun;t'er2}", "Server=db;PWD=***"),
            (r#"{"url":"Server=db;Password=hunter2"}"#, r#"{"url":"Server=db;Password=***"}"#),
            (r#"{"token":"hunter2","n":1}"#, r#"{"token":"***","n":1}"#),
            (r#"{"plan":"{\"secret\": \"hunter2\"}"}"#, r#"{"plan":"{\"secret\": \"***\"}"}"#),
            ("https://bmc/redfish?token=hunter2&x=1", "https://bmc/redfish?token=***&x=1"),
            ("curl -H 'Authorization: Bearer hunter2' x", "curl -H 'Authorization: Bearer ***' x"),
            ("authorization: Basic aHVudGVyMg==", "authorization: Basic ***"),
            ("root=UUID=1 quiet", "root=UUID=1 quiet"),
            ("password=$BMC_PASSWORD", "password=$BMC_PASSWORD"),
            ("a passwordless login at http://x:80/", "a passwordless login at http://x:80/"),
        ] {
            assert_eq!(hide(text), hidden);
        }
    }
}
